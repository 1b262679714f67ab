-- Neovim 0.7 or newer: copy this file to ~/.config/nvim/plugin/asp-solve.lua.
local started

local function start(buffer)
  vim.bo[buffer].commentstring = "% %s"
  local config = { name = "asp-solve", cmd = { "asp-solve", "lsp" }, root_dir = vim.fn.getcwd() }
  if vim.lsp.start then
    vim.lsp.start(config, { bufnr = buffer })
  else
    started = started or vim.lsp.start_client(config)
    vim.lsp.buf_attach_client(buffer, started)
  end
end

vim.api.nvim_create_autocmd({ "BufRead", "BufNewFile" }, {
  pattern = "*.lp",
  callback = function(event)
    vim.bo[event.buf].filetype = "asp"
    start(event.buf)
  end,
})

-- :Asp solve, :Asp why color(1,2), :Asp hint, :Asp test NAME, :Asp mutants, :Asp board FILE
vim.api.nvim_create_user_command("Asp", function(command)
  local word, about = command.args:match("^(%S+)%s*(.*)$")
  if word == "board" and about ~= "" then
    about = vim.fn.fnamemodify(about, ":p")
  end
  local params = { command = "asp-solve." .. word, arguments = { vim.uri_from_bufnr(0), about } }
  vim.lsp.buf_request(0, "workspace/executeCommand", params, function(error, text)
    if error then
      return vim.notify(error.message, vim.log.levels.ERROR)
    end
    if type(text) == "string" then
      vim.cmd("botright new")
      vim.bo.buftype, vim.bo.bufhidden = "nofile", "wipe"
      vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(text, "\n"))
    end
  end)
end, { nargs = "+" })
