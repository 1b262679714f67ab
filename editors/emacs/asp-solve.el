;;; asp-solve.el --- Logic programs with asp-solve's language server  -*- lexical-binding: t -*-

;; Load this file from your init file; then open a .lp file and call M-x eglot.

(add-to-list 'auto-mode-alist '("\\.lp\\'" . prolog-mode))

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(prolog-mode . ("asp-solve" "lsp"))))

;;; asp-solve.el ends here
