package dev.weir.cli.bench;

import dev.weir.bench.result.ResultsFolder;
import dev.weir.cli.terminal.CliFailure;
import dev.weir.cli.terminal.CommandContext;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code weir bench results}: what finished campaigns left. */
@Command(
        name = "results",
        description = "List, show, compare, judge and pack the results of campaigns.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            ResultsListCommand.class,
            ResultsShowCommand.class,
            ResultsDiffCommand.class,
            ResultsGateCommand.class,
            ResultsArchiveCommand.class
        })
final class BenchResultsCommand implements Runnable {

    /** Where campaigns keep their results unless told otherwise. */
    static final Path FOLDER = Path.of("bench-results");

    @ParentCommand
    private BenchCommand bench;

    @Spec
    private CommandSpec spec;

    CommandContext weir() {
        return bench.weir();
    }

    /** The folder of a campaign: a path, or a name in {@link #FOLDER}. */
    static ResultsFolder open(Path run) {
        return read(() -> ResultsFolder.open(find(run)));
    }

    /** The same, or that of a table with several campaigns. */
    static List<ResultsFolder> openAll(Path run) {
        return read(() -> BenchPlan.results(find(run)));
    }

    private static Path find(Path run) {
        Path inFolder = FOLDER.resolve(run);
        return !Files.isDirectory(run) && Files.isDirectory(inFolder) ? inFolder : run;
    }

    /** Does what reads results, and says what is wrong with them. */
    static <T> T read(Supplier<T> work) {
        try {
            return work.get();
        } catch (IllegalArgumentException | UncheckedIOException e) {
            throw CliFailure.work(String.valueOf(e.getMessage()), "'weir bench results list' names what there is.", e);
        }
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "No command given");
    }
}
