/// Completion scripts for the shells, made from the table of commands.
package enum ShellCompletion: String, Sendable, CaseIterable {
    case bash, zsh, fish

    /// The script of this shell.
    package func script(_ commands: [Command]) -> String {
        switch self {
        case .bash: Self.bash(commands)
        case .zsh: Self.zsh(commands)
        case .fish: Self.fish(commands)
        }
    }

    private static let names = ["--help"]

    private static func flags(of command: Command) -> [String] {
        command.flags.map { "--\($0.name)" } + names
    }

    // MARK: bash

    private static func bash(_ commands: [Command]) -> String {
        var text = """
            # bash completion of jobserver. Load it with: source <(jobserver completion bash)
            _jobserver() {
                local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
                if [ "$COMP_CWORD" -eq 1 ]; then
                    mapfile -t COMPREPLY < <(compgen -W '\(commands.map(\.name).joined(separator: " "))' -- "$word")
                    return
                fi
                local flags='' words='' files=''

            """
        text += "    case $command in\n"
        for command in commands {
            text += "    \(command.name)) flags='\(flags(of: command).joined(separator: " "))'"
            switch command.completes {
            case .files: text += " files=1"
            case .words(let words): text += " words='\(words.joined(separator: " "))'"
            case .verbs(let words):
                text +=
                    "\n        if [ \"$COMP_CWORD\" -eq 2 ]; then words='\(words.joined(separator: " "))'; else files=1; fi"
            case .command:
                text += "\n        local index\n"
                text += "        for ((index = 2; index < COMP_CWORD; index++)); do\n"
                let test = "[ \"${COMP_WORDS[index]}\" = -- ] && declare -F _command_offset >/dev/null"
                text += "            \(test) || continue\n"
                text += "            _command_offset $((index + 1)); return\n"
                text += "        done\n        files=1"
            case .nothing: break
            }
            text += " ;;\n"
        }
        text += "    esac\n    case $before in\n"
        let valued = Set(commands.flatMap(\.flags).filter { $0.value != nil }.map { "--\($0.name)" }).sorted()
        for (value, names) in choices(commands) {
            text += "    \(names.joined(separator: "|"))) words='\(value)' flags='' files='' ;;\n"
        }
        text += "    \(valued.joined(separator: "|"))) words='' flags='' files=1 ;;\n"
        return text + """
                esac
                mapfile -t COMPREPLY < <(compgen -W "$flags $words" -- "$word"; [ -n "$files" ] && compgen -f -- "$word")
            }
            complete -o filenames -F _jobserver jobserver

            """
    }

    /// Flags with a few values, by these values.
    private static func choices(_ commands: [Command]) -> [(values: String, names: [String])] {
        var found: [String: Set<String>] = [:]
        for flag in commands.flatMap(\.flags) {
            guard let value = flag.value, value.contains("|") else { continue }
            let words = value.split(separator: "|").filter { $0.allSatisfy(\.isLowercase) }
            if words.count > 1 { found[words.joined(separator: " "), default: []].insert("--\(flag.name)") }
        }
        return found.map { ($0.key, $0.value.sorted()) }.sorted { $0.values < $1.values }
    }

    // MARK: zsh

    private static func zsh(_ commands: [Command]) -> String {
        var text = """
            #compdef jobserver
            # zsh completion of jobserver. Put it into a directory of $fpath as _jobserver.
            _jobserver() {
                local -a commands=(

            """
        for command in commands { text += "        \(quoted("\(command.name):\(command.summary)"))\n" }
        text += """
                )
                if (( CURRENT == 2 )); then
                    _describe command commands
                    return
                fi
                local name=$words[2]
                shift words
                (( CURRENT-- ))
                case $name in

            """
        for command in commands {
            text += "    \(command.name)) _arguments"
            for flag in command.flags { text += " \\\n        " + zsh(flag) }
            text += " \\\n        '--help[show the help]'" + zsh(command.completes) + " ;;\n"
        }
        return text + "    esac\n}\n_jobserver \"$@\"\n"
    }

    private static func zsh(_ completes: Command.Completion) -> String {
        switch completes {
        case .nothing: ""
        case .files: " \\\n        '*:file:_files'"
        case .words(let words): " \\\n        '1:word:(\(words.joined(separator: " ")))'"
        case .verbs(let words):
            " \\\n        '1:word:(\(words.joined(separator: " ")))' \\\n        '*:file:_files'"
        case .command: " \\\n        '*::command:_normal'"
        }
    }

    private static func zsh(_ flag: Flag) -> String {
        let help = firstLine(flag).map { "[]:".contains($0) ? "\\\($0)" : String($0) }.joined()
        let repeats = flag.isRepeatable ? "*" : ""
        guard let value = flag.value else { return quoted("\(repeats)--\(flag.name)[\(help)]") }
        let words = value.split(separator: "|").filter { $0.allSatisfy(\.isLowercase) }
        let action =
            words.count > 1
            ? "(\(words.joined(separator: " ")))"
            : ["FILE", "DIR", "PLACE"].contains(value) ? "_files" : ""
        let label = value.replacing(":", with: "\\:")
        return quoted("\(repeats)--\(flag.name)=[\(help)]:\(label):\(action)")
    }

    // MARK: fish

    private static func fish(_ commands: [Command]) -> String {
        var text = """
            # fish completion of jobserver. Load it with: jobserver completion fish | source
            complete -c jobserver -f

            """
        for command in commands {
            text +=
                "complete -c jobserver -n __fish_use_subcommand -a \(command.name) -d \(quoted(command.summary))\n"
        }
        for command in commands {
            let line = "complete -c jobserver -n '__fish_seen_subcommand_from \(command.name)'"
            for flag in command.flags {
                let words = (flag.value ?? "").split(separator: "|").filter { $0.allSatisfy(\.isLowercase) }
                let value =
                    flag.value == nil
                    ? "" : words.count > 1 ? " -x -a '\(words.joined(separator: " "))'" : " -r -F"
                text += "\(line) -l \(flag.name)\(value) -d \(quoted(firstLine(flag)))\n"
            }
            switch command.completes {
            case .nothing: break
            case .files: text += "\(line) -F\n"
            case .words(let words): text += "\(line) -a '\(words.joined(separator: " "))'\n"
            case .verbs(let words): text += "\(line) -F -a '\(words.joined(separator: " "))'\n"
            case .command: text += "\(line) -F -a '(__fish_complete_subcommand)'\n"
            }
        }
        return text
    }

    private static func firstLine(_ flag: Flag) -> String {
        let line = flag.help.split(separator: "\n").first.map(String.init) ?? ""
        return line.split(separator: ";").first.map(String.init) ?? line
    }

    /// The text in single quotes, as all three shells read it.
    private static func quoted(_ text: String) -> String {
        let bytes = text.utf8.flatMap { $0 == 0x27 ? Array("'\\''".utf8) : [$0] }
        return "'" + String(decoding: bytes, as: UTF8.self) + "'"
    }
}
