package dev.weir.cli;

import dev.weir.command.terminal.ExitCode;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code weir completion}: prints the script that lets a shell complete weir's commands and options. */
@Command(
        name = "completion",
        description = {
            "Print the completion script, which serves bash and zsh alike.",
            "",
            "For this shell:     source <(weir completion)",
            "For every shell:    add that line to ~/.bashrc or ~/.zshrc"
        })
final class CompletionCommand implements Callable<Integer> {

    @ParentCommand
    private Main weir;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        weir.out().print(AutoComplete.bash("weir", spec.root().commandLine()));
        weir.out().flush();
        return ExitCode.DONE;
    }
}
