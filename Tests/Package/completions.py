"""Loads the completions of pushrig into bash, zsh and fish, asks each shell, and compares its answers with what --help says.

usage: completions.py SHELL PROGRAM.json FOLDER BIN

PROGRAM.json is what `script/manual --json` printed, FOLDER what `script/manual --out` wrote. BIN is a folder with pushrig in it, beside
which stands share/pushrig/Scenarios with quickstart.yaml. Prints how much was asked; exits with 1 where an answer differs.
"""

import json
import os
import pathlib
import pty
import select
import subprocess
import sys
import tempfile
import time

SHELL, PROGRAM, FOLDER, BIN = sys.argv[1:5]
FOLDER = pathlib.Path(FOLDER).resolve()

BASH = r"""
source "$FOLDER/bash/pushrig"
while IFS= read -r line; do
    # As bash splits it: at blanks and at the sign =.
    COMP_WORDS=() rest=${line//=/ = }
    read -ra COMP_WORDS <<<"$rest"
    [[ $rest == *' ' ]] && COMP_WORDS+=('')
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
    _pushrig
    printf '%s\n' "${COMPREPLY[@]}"
    echo '<end>'
done
"""

FISH = r"""
source $FOLDER/fish/pushrig.fish
while read -l line
    complete -C "$line" | string replace -r '\t.*' ''
    echo '<end>'
end
"""

# compadd is what adds candidates: it notes those that match before it does so.
ZSH = r"""
PS1='> '; unsetopt zle_bracketed_paste 2>/dev/null
fpath=($FOLDER/zsh $fpath)
autoload -U compinit; compinit -u -D
zstyle ':completion:*' completer _complete
compadd() {
    local -a hits
    if [[ "$*" != *-[OAD]\ * ]]; then
        builtin compadd -A hits "$@"
        print -rl -- $hits >>$ASKED/answer
    fi
    builtin compadd "$@"
}
ask() {
    BUFFER=$(<$ASKED/query); [[ $BUFFER == *. ]] && BUFFER=${BUFFER%.}; CURSOR=$#BUFFER
    zle list-choices
    BUFFER=; : >$ASKED/done
}
zle -N ask; bindkey '^T' ask
# Never a question instead of a long list.
LISTMAX=100000
zle-line-init() { : >$ASKED/done; zle -D zle-line-init }
zle -N zle-line-init
"""


def ask_stream(command, queries):
    said = subprocess.run(command, input="".join(query + "\n" for query in queries), capture_output=True, text=True)
    if said.stderr.strip():
        sys.exit(f"{SHELL} complains: {said.stderr.strip().splitlines()[0]}")
    answers = said.stdout.split("<end>\n")
    return [set(answer.split("\n")) - {""} for answer in answers[:-1]]


class Terminal:
    """A shell in a terminal of its own, whose output is read and dropped, or looked at."""

    def __init__(self, command):
        self.pid, self.end = pty.fork()
        if self.pid == 0:
            os.execvp(command[0], command)

    def send(self, text):
        os.write(self.end, text.encode())

    def read(self, seconds):
        text, limit = b"", time.monotonic() + seconds
        while (left := limit - time.monotonic()) > 0 and select.select([self.end], [], [], left)[0]:
            try:
                text += os.read(self.end, 65536)
            except OSError:
                break
        return text.decode(errors="replace")

    def wait_for(self, path, seconds=20):
        limit = time.monotonic() + seconds
        while not path.exists():
            self.read(0.01)
            if time.monotonic() > limit:
                sys.exit(f"{SHELL} did not answer")
        path.unlink()

    def close(self):
        os.close(self.end)
        os.kill(self.pid, 9)
        os.waitpid(self.pid, 0)


def ask_zsh(queries, asked):
    os.environ["ASKED"] = str(asked)
    (asked / ".zshrc").write_text(ZSH)
    os.environ["ZDOTDIR"] = str(asked)
    shell, answers = Terminal(["zsh", "-d", "-i"]), []
    shell.wait_for(asked / "done")
    for query in queries:
        (asked / "answer").write_text("")
        # The shell would cut blank ends off.
        (asked / "query").write_text(query + ".")
        shell.send("\x14")
        shell.wait_for(asked / "done")
        answers.append({line.removesuffix("/") for line in (asked / "answer").read_text().split("\n")} - {""})
    shell.close()
    return answers


def press_tab(command, first, typed, wanted):
    """The real key in the real terminal."""
    shell = Terminal(command)
    shell.send(first + "\n")
    shell.read(1.5)
    shell.send(typed + "\t")
    seen = shell.read(1.5)
    shell.close()
    if wanted not in seen:
        sys.exit(f"{SHELL}: Tab behind `{typed}` gives {seen!r}, not `{wanted}`")


def main():
    program = json.loads(pathlib.Path(PROGRAM).read_text())
    home = pathlib.Path(tempfile.mkdtemp())
    (home / "work" / "a-folder").mkdir(parents=True)
    (home / "work" / "a-file.txt").write_text("")
    os.environ |= {"FOLDER": str(FOLDER), "PATH": f"{pathlib.Path(BIN).resolve()}:{os.environ['PATH']}", "HOME": str(home), "TERM": "xterm",
                   "XDG_CONFIG_HOME": str(home), "XDG_DATA_HOME": str(home)}
    os.chdir(home / "work")
    options = {verb["name"]: {option["name"] for option in verb["options"]} | {"--help"} for verb in program["verbs"]}
    names = {verb["name"] for verb in program["verbs"]}
    # (line, what must be among the answers, what must not)
    cases = [("pushrig ", names, {"--out"}), ("pushrig --", {"--help", "--version"}, names)]
    paths = {"folder": ({"a-folder"}, {"a-file.txt"}), "file": ({"a-folder", "a-file.txt"}, set()),
             "path": ({"a-folder", "a-file.txt"}, set()), "scenario": ({"quickstart", "conformance/environments"}, set())}
    for verb in program["verbs"]:
        name = verb["name"]
        foreign = set().union(*options.values()) - options[name]
        cases.append((f"pushrig {name} --", options[name], foreign | names))
        if verb["operands"]["choices"]:
            cases.append((f"pushrig {name} ", set(verb["operands"]["choices"]), set()))
        elif verb["operands"]["takes"] in paths:
            cases.append((f"pushrig {name} ", *paths[verb["operands"]["takes"]]))
        for option in verb["options"]:
            if not option["value"] or option["optional"]:
                continue
            for line in (f"pushrig {name} {option['name']} ", f"pushrig {name} {option['name']}="):
                if option["choices"]:
                    cases.append((line, set(option["choices"]), names))
                elif option["takes"] and line.endswith(" "):
                    cases.append((line, *paths[option["takes"]]))
                elif line.endswith(" "):
                    cases.append((line, set(), names | {"a-file.txt", "quickstart"}))
    cases.append(("pushrig exec -- cat a-", {"a-file.txt"}, set()))
    queries = [case[0] for case in cases]
    if SHELL == "bash":
        answers = ask_stream(["bash", "--norc", "-c", BASH], queries)
        press_tab(["bash", "--norc", "-i"], 'source "$FOLDER/bash/pushrig"; PS1="> "', "pushrig mock --tokens reg", "registered")
    elif SHELL == "fish":
        answers = ask_stream(["fish", "--no-config", "-c", FISH], queries)
    else:
        answers = ask_zsh(queries, home)
    if len(answers) != len(cases):
        sys.exit(f"{SHELL}: {len(cases)} questions, {len(answers)} answers")
    red = 0
    for (line, wanted, unwanted), answer in zip(cases, answers):
        # Some shells tell the word as it would stand: --format=json, a-folder/.
        answer = {word.removesuffix("/").rpartition("=")[2] for word in answer}
        if wanted - answer or unwanted & answer:
            red += 1
            if red <= 5:
                print(f"{SHELL}: `{line}` lacks {sorted(wanted - answer)[:5]}, has {sorted(unwanted & answer)[:5]}", file=sys.stderr)
    print(f"{len(cases)} questions, {red} answered otherwise than --help says")
    sys.exit(1 if red else 0)


main()
