package dev.weir.bench.command;

import dev.weir.command.terminal.CommandContext;
import dev.weir.command.terminal.Subcommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/**
 * {@code weir bench}, the parent of the benchmark commands. They get their {@link CommandContext} from {@link #weir()}.
 */
@Command(
        name = "bench",
        description =
                "Compare consumer, share group and producer libraries under the same workload, and find their limits.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            BenchCompareCommand.class,
            BenchRunCommand.class,
            BenchExploreCommand.class,
            BenchModifyCommand.class,
            BenchReportCommand.class,
            BenchResultsCommand.class,
            BenchSchemaCommand.class
        })
public final class BenchCommand implements Runnable, Subcommand {

    @ParentCommand
    private CommandContext weir;

    @Spec
    private CommandSpec spec;

    CommandContext weir() {
        return weir;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "No command given");
    }
}
