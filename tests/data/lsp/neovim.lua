-- Run by a headless Neovim beside base.lp and main.lp: each step tells what came of it.
vim.cmd("edit main.lp")
local function wait(wanted)
  return vim.wait(60000, wanted, 50)
end
local function ask(method, extra)
  local params = vim.tbl_extend("force", vim.lsp.util.make_position_params(), extra or {})
  for _, answer in pairs(vim.lsp.buf_request_sync(0, method, params, 60000) or {}) do
    return answer.result
  end
end
local function say(...)
  io.stdout:write(table.concat({ ... }, " "), "\n")
end

wait(function() return #vim.diagnostic.get(0) > 0 end)
for _, told in ipairs(vim.diagnostic.get(0)) do
  say("message", told.lnum + 1, told.col, told.message)
end
vim.api.nvim_win_set_cursor(0, { 4, 16 })
local here = { line = 3, character = 16 }
local actions = ask("textDocument/codeAction", { range = { start = here, ["end"] = here }, context = { diagnostics = {} } })
vim.lsp.util.apply_workspace_edit(actions[1].edit, "utf-16")
say(actions[1].title .. ":", vim.fn.getline(4))
say("mended", tostring(wait(function() return #vim.diagnostic.get(0) == 0 end)))
vim.api.nvim_win_set_cursor(0, { 3, 1 })
say("hover", ask("textDocument/hover").contents.value:match("[^\n]*"))
vim.lsp.util.apply_workspace_edit(ask("textDocument/rename", { newName = "arc" }), "utf-16")
say("renamed", vim.fn.getline(3))
vim.api.nvim_buf_set_lines(0, -1, -1, false, { "a:-node(1)." })
vim.lsp.util.apply_text_edits(ask("textDocument/formatting", { options = { tabSize = 4 } }), 0, "utf-16")
say("formatted", vim.fn.getline("$"))
-- What is included is run as it is saved.
vim.cmd("wall")
vim.cmd("Asp solve")
wait(function() return vim.fn.getline(1):match("^Answer") end)
say("solved", vim.fn.getline(1) .. ":", vim.fn.getline(2))
vim.cmd("qa!")
