-- Neovim 0.10 or newer: copy to ~/.config/nvim/plugin/, or `:luafile` it.
vim.filetype.add({ extension = { lp = "asp" } })

local function start(buffer)
  vim.bo[buffer].commentstring = "% %s"
  vim.lsp.start({
    name = "asp-solve",
    cmd = { "asp-solve", "lsp" },
    root_dir = vim.fs.root(buffer, { ".git" }) or vim.fs.dirname(vim.api.nvim_buf_get_name(buffer)),
  }, { bufnr = buffer })
end

vim.api.nvim_create_autocmd("FileType", {
  pattern = "asp",
  callback = function(event) start(event.buf) end,
})

-- :Asp solve, :Asp why color(1,2), :Asp hint, :Asp test NAME, :Asp mutants, :Asp board FILE
vim.api.nvim_create_user_command("Asp", function(command)
  local client = vim.lsp.get_clients({ bufnr = 0, name = "asp-solve" })[1]
  if not client then return vim.notify("asp-solve does not serve this buffer") end
  local about = table.concat(vim.list_slice(command.fargs, 2), " ")
  if command.fargs[1] == "board" and about ~= "" then about = vim.fn.fnamemodify(about, ":p") end
  local params = { command = "asp-solve." .. command.fargs[1], arguments = { vim.uri_from_bufnr(0), about } }
  client.request("workspace/executeCommand", params, function(error, text)
    if error then return vim.notify(error.message, vim.log.levels.ERROR) end
    if type(text) ~= "string" then return end
    vim.cmd("botright new")
    vim.bo.buftype, vim.bo.bufhidden = "nofile", "wipe"
    vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(text, "\n"))
  end, 0)
end, { nargs = "+" })
