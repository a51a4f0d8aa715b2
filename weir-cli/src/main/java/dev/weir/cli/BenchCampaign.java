package dev.weir.cli;

import dev.weir.bench.result.Flag;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.result.Run;
import dev.weir.bench.run.BenchException;
import dev.weir.bench.run.CampaignListener;
import dev.weir.bench.run.CampaignRunner;
import dev.weir.bench.workload.Workload;
import dev.weir.bench.workload.WorkloadException;
import dev.weir.testkit.KafkaClusterException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The options of a campaign, and its way from a workload file to reports. Confined to the main thread. */
final class BenchCampaign {

    @Parameters(
            paramLabel = "WORKLOAD",
            arity = "0..1",
            description = "Workload file, for example workloads/plain-consumer.yaml. Not needed with --resume.")
    private @Nullable Path file;

    @Option(names = "--quick", description = "Apply what the file says under quick: fewer and shorter runs.")
    private boolean quick;

    @Option(
            names = "--drivers",
            paramLabel = "NAME",
            split = ",",
            description = "Only these drivers of the file; the baseline must be among them.")
    private List<String> only = List.of();

    @Option(
            names = "--results",
            paramLabel = "DIR",
            description = "Folder for the results (default: bench-results/NAME-TIME).")
    private @Nullable Path results;

    @Option(names = "--resume", paramLabel = "DIR", description = "Finish the campaign of this results folder.")
    private @Nullable Path resume;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description =
                    "Folder where brokers keep filled topics for the next campaign (default: ~/.cache/weir/bench).")
    private @Nullable Path data;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Draws the order of the runs (default: drawn, and recorded).")
    private @Nullable Long seed;

    @Option(names = "--json", description = "Print one JSON object per point and driver, and a summary.")
    private boolean json;

    /** Runs the campaign; with {@code rounds} if not null instead of what the file says, and then without a control. */
    int run(Main weir, @Nullable Integer rounds) throws InterruptedException {
        try {
            return runChecked(weir, rounds);
        } catch (WorkloadException e) {
            throw CliFailure.usage(String.valueOf(e.getMessage()), "");
        } catch (BenchException | KafkaClusterException | IllegalArgumentException | UncheckedIOException e) {
            throw CliFailure.work(String.valueOf(e.getMessage()), "", e);
        }
    }

    private int runChecked(Main weir, @Nullable Integer rounds) throws InterruptedException {
        Workload workload = workload();
        if (rounds != null) {
            workload = workload.withRounds(rounds, false);
        }
        CampaignRunner.Settings settings = settings(workload);
        CampaignRunner runner = new CampaignRunner(workload, settings, new Listener(weir.terminal()));
        weir.shutdown().onStop(runner::stop);
        ResultsFolder folder = runner.run();
        weir.terminal().clearStatus();
        BenchReports.print(weir, folder, json);
        if (runner.isStopped()) {
            weir.terminal().note("stopped; the rest: weir bench compare --resume " + folder.path());
        }
        boolean whole = !runner.isStopped() && folder.runs().stream().allMatch(run -> run.failure() == null);
        return whole ? ExitCode.DONE : ExitCode.FAILED;
    }

    private Workload workload() {
        if (resume != null) {
            if (file != null || quick || results != null || seed != null || !only.isEmpty()) {
                throw CliFailure.usage(
                        "--resume takes everything from the folder: leave out the file and the other options", "");
            }
            return CampaignRunner.workloadOf(ResultsFolder.open(resume).campaign());
        }
        if (file == null) {
            throw CliFailure.usage("a workload file is needed, or --resume", "");
        }
        Workload workload = Workload.read(file, quick);
        return only.isEmpty() ? workload : workload.withDrivers(only);
    }

    private CampaignRunner.Settings settings(Workload workload) {
        Path root = root();
        Path cache = data != null ? data : Path.of(System.getProperty("user.home"), ".cache", "weir", "bench");
        Path folder = resume != null
                ? resume
                : results != null ? results : Path.of("bench-results", CampaignRunner.newId(workload));
        long drawn =
                resume != null ? ResultsFolder.open(resume).campaign().seed() : seed != null ? seed : System.nanoTime();
        return new CampaignRunner.Settings(root, cache, folder.toAbsolutePath(), drawn, resume != null);
    }

    /** The checkout that this command was built in: drivers lie there. */
    private static Path root() {
        String given = System.getProperty("weir.root");
        if (given != null) {
            return Path.of(given);
        }
        try {
            Path code = Path.of(BenchCampaign.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            for (Path folder = code; folder != null; folder = folder.getParent()) {
                if (Files.isDirectory(folder.resolve("drivers")) && Files.exists(folder.resolve("weir"))) {
                    return folder;
                }
            }
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
        throw CliFailure.work("the drivers are not where this command was built", "Start it through ./weir.");
    }

    /** Progress on standard error. */
    private record Listener(Terminal terminal) implements CampaignListener {

        @Override
        public void note(String line) {
            terminal.note(line);
        }

        @Override
        public void status(String doing, int runsDone, int runs, @Nullable Duration remaining) {
            terminal.status(
                    runsDone + "/" + runs + " runs, " + doing + (remaining == null ? "" : ", " + left(remaining)));
        }

        private static String left(Duration remaining) {
            return remaining.toMinutes() > 0
                    ? remaining.toMinutes() + " min " + remaining.toSecondsPart() + " s left"
                    : remaining.toSeconds() + " s left";
        }

        @Override
        public void finished(Run run, int runsDone, int runs) {
            String flags = run.flags().stream().map(Flag::text).collect(Collectors.joining(", "));
            if (run.failure() != null) {
                terminal.note(run.key().fileName() + ": " + run.failure());
            } else if (!run.isValid()) {
                terminal.note(run.key().fileName() + ": not quoted: " + flags);
            } else if (terminal.isLive()) {
                terminal.note(String.format(
                        Locale.ROOT,
                        "%-30s %,14.0f/s  %6.3f CPU s per million  %6.0f B per record  %s",
                        run.key().fileName(),
                        run.totals().recordsPerSecond(),
                        run.totals().cpuSecondsPerMillion(),
                        run.totals().allocatedBytesPerRecord(),
                        flags));
            }
        }
    }
}
