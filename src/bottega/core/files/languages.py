"""Which language a file is written in, and whether it is text at all, told by its name."""

from pathlib import PurePosixPath

PLAINTEXT = "plaintext"

#: Language ids are those that editors (Monaco, VS Code) use.
_EXTENSIONS = {
    "python": "py pyi pyw",
    "typescript": "ts mts cts",
    "typescriptreact": "tsx",
    "javascript": "js mjs cjs",
    "javascriptreact": "jsx",
    "json": "json webmanifest",
    "jsonc": "jsonc json5",
    "jsonl": "jsonl ndjson",
    "html": "html htm xhtml",
    "css": "css",
    "scss": "scss sass",
    "less": "less",
    "vue": "vue",
    "svelte": "svelte",
    "astro": "astro",
    "markdown": "md markdown mdx",
    "restructuredtext": "rst",
    "latex": "tex sty cls",
    "yaml": "yaml yml",
    "toml": "toml",
    "ini": "ini cfg conf properties editorconfig",
    "dotenv": "env",
    "xml": "xml xsd xsl svg plist",
    "csv": "csv tsv",
    "sql": "sql",
    "graphql": "graphql gql",
    "proto": "proto",
    "shellscript": "sh bash zsh ksh",
    "fish": "fish",
    "powershell": "ps1 psm1",
    "bat": "bat cmd",
    "c": "c h",
    "cpp": "cc cpp cxx hh hpp hxx",
    "csharp": "cs",
    "fsharp": "fs fsx",
    "java": "java",
    "kotlin": "kt kts",
    "scala": "scala sc",
    "groovy": "groovy gradle",
    "go": "go",
    "rust": "rs",
    "swift": "swift",
    "objective-c": "m",
    "ruby": "rb rake gemspec",
    "php": "php",
    "perl": "pl pm",
    "lua": "lua",
    "r": "r",
    "julia": "jl",
    "haskell": "hs",
    "elixir": "ex exs",
    "erlang": "erl hrl",
    "clojure": "clj cljs cljc edn",
    "ocaml": "ml mli",
    "dart": "dart",
    "zig": "zig",
    "nix": "nix",
    "terraform": "tf tfvars",
    "diff": "diff patch",
    "log": "log",
}

_NAMES = {
    "dockerfile": "dockerfile",
    "containerfile": "dockerfile",
    "makefile": "makefile",
    "gnumakefile": "makefile",
    "cmakelists.txt": "cmake",
    "gemfile": "ruby",
    "rakefile": "ruby",
    "jenkinsfile": "groovy",
    ".env": "dotenv",
    ".gitignore": "ignore",
    ".dockerignore": "ignore",
    ".npmignore": "ignore",
    ".editorconfig": "ini",
    ".gitconfig": "ini",
    ".gitattributes": "ini",
    ".npmrc": "ini",
    ".bashrc": "shellscript",
    ".zshrc": "shellscript",
    ".profile": "shellscript",
    ".babelrc": "json",
    ".eslintrc": "jsonc",
    ".prettierrc": "json",
    "tsconfig.json": "jsonc",
    "go.mod": "go.mod",
}

_BINARY = {
    "images": "png jpg jpeg gif bmp ico icns webp avif tif tiff heic psd ai",
    "sound and film": "mp3 wav flac ogg m4a aac mp4 m4v mov avi mkv webm",
    "archives": "zip tar gz tgz bz2 xz zst 7z rar jar war ear whl egg deb rpm dmg iso apk nupkg",
    "compiled": "o a so dylib dll exe lib obj class pyc pyo pyd wasm node bin dat rlib",
    "fonts": "ttf otf woff woff2 eot",
    "documents": "pdf doc docx xls xlsx ppt pptx odt ods odp epub",
    "data": "db sqlite sqlite3 mdb parquet arrow feather npy npz pkl pickle",
    "models": "h5 onnx pt safetensors gguf",
}

#: EC-12: never text, whatever is in them.
_BINARY_EXTENSIONS = frozenset(
    extension for extensions in _BINARY.values() for extension in extensions.split()
)

_LANGUAGE_OF = {
    extension: language
    for language, extensions in _EXTENSIONS.items()
    for extension in extensions.split()
}


def language_of(path: str) -> str:
    """FR-024: the language id for a file's name; `plaintext` for one that nobody knows."""
    name = PurePosixPath(path).name.lower()
    if name in _NAMES:
        return _NAMES[name]
    if name.startswith(("dockerfile.", ".env.")):
        return "dockerfile" if name.startswith("d") else "dotenv"
    return _LANGUAGE_OF.get(_extension(name), PLAINTEXT)


def is_binary(path: str) -> bool:
    """FR-038: whether a file's extension says that it is no text."""
    return _extension(PurePosixPath(path).name.lower()) in _BINARY_EXTENSIONS


def _extension(name: str) -> str:
    return name.rpartition(".")[2] if "." in name.lstrip(".") else ""
