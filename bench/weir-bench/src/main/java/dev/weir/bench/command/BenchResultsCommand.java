package dev.weir.bench.command;

import dev.weir.bench.result.ResultsFolder;
import dev.weir.command.terminal.CliFailure;
import dev.weir.command.terminal.CommandContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code weir bench results}: results of finished campaigns. */
@Command(
        name = "results",
        description = "List, show, explain, compare, judge and pack the results of campaigns.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            ResultsListCommand.class,
            ResultsShowCommand.class,
            ResultsExplainCommand.class,
            ResultsDiffCommand.class,
            ResultsHistoryCommand.class,
            ResultsGateCommand.class,
            ResultsArchiveCommand.class
        })
final class BenchResultsCommand implements Runnable {

    /** The default folder for the results of campaigns. */
    static final Path FOLDER = Path.of("bench-results");

    /** Maximum depth of the search for campaigns below a folder. */
    private static final int DEPTH = 3;

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

    /** Opens the campaign of a folder, or all campaigns of a folder that holds several. */
    static List<ResultsFolder> openAll(Path run) {
        return read(() -> BenchPlan.results(find(run)));
    }

    /**
     * Applies a function to each campaign below a folder, in the order of their paths. A campaign that cannot be read
     * is reported and skipped.
     */
    <T> List<T> below(Path folder, Function<ResultsFolder, T> made) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> paths = Files.walk(folder, DEPTH)) {
            return paths.filter(ResultsFolder::isAt)
                    .sorted()
                    .<T>mapMulti((path, to) -> madeOrTold(path, made, to))
                    .toList();
        } catch (IOException e) {
            throw CliFailure.work("cannot read " + folder + ": " + CliFailure.reason(e), "");
        }
    }

    private <T> void madeOrTold(Path path, Function<ResultsFolder, T> made, Consumer<T> to) {
        try {
            to.accept(made.apply(ResultsFolder.open(path)));
        } catch (IllegalArgumentException | UncheckedIOException broken) {
            // The other campaigns can still be read.
            weir().terminal().note(String.valueOf(broken.getMessage()));
        }
    }

    private static Path find(Path run) {
        Path inFolder = FOLDER.resolve(run);
        return !Files.isDirectory(run) && Files.isDirectory(inFolder) ? inFolder : run;
    }

    /** Runs code that reads results, and explains why results cannot be read. */
    static <T> T read(Supplier<T> work) {
        try {
            return work.get();
        } catch (IllegalArgumentException | UncheckedIOException e) {
            throw CliFailure.work(String.valueOf(e.getMessage()), "'weir bench results list' lists the campaigns.", e);
        }
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "No command given");
    }
}
