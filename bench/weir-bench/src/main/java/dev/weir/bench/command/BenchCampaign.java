package dev.weir.bench.command;

import dev.weir.bench.BenchException;
import dev.weir.bench.campaign.CampaignListener;
import dev.weir.bench.campaign.CampaignRunner;
import dev.weir.bench.campaign.SimulatedCampaign;
import dev.weir.bench.cluster.ExistingCluster;
import dev.weir.bench.environment.BenchEnvironment;
import dev.weir.bench.environment.BenchFolder;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.result.Run;
import dev.weir.bench.workload.Workload;
import dev.weir.bench.workload.WorkloadException;
import dev.weir.command.client.ClientFault;
import dev.weir.command.console.ConsoleOption;
import dev.weir.command.terminal.CliFailure;
import dev.weir.command.terminal.CommandContext;
import dev.weir.command.terminal.ExitCode;
import dev.weir.testkit.KafkaClusterException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The command-line options for campaigns, and the code that runs the campaigns and writes their reports. Confined to
 * the main thread.
 */
final class BenchCampaign {

    @Parameters(
            paramLabel = "WORKLOAD",
            arity = "0..*",
            description = "Workload files. workloads/plain-consumer.yaml and the other shipped files are found from any"
                    + " folder. Not needed with --resume.")
    private List<Path> files = List.of();

    @Option(names = "--quick", description = "Apply the file's section quick: fewer and shorter runs.")
    private boolean quick;

    @Option(
            names = "--drivers",
            paramLabel = "NAME",
            split = ",",
            description = "Only these drivers of the file; the baseline must be among them.")
    private List<String> only = List.of();

    @Option(
            names = "--no-timeline",
            description = "Leave the file's timeline and faults out, to type orders by weir bench modify.")
    private boolean noTimeline;

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

    @Mixin
    private BenchTarget target;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Seed of the order of the runs (default: random, and recorded).")
    private @Nullable Long seed;

    @Option(
            names = "--simulate",
            description = "Run a model of drivers and brokers with its own clock, from the seed: within seconds and"
                    + " without processes. Its figures describe no library. Not with --resume.")
    private boolean simulate;

    @Mixin
    private ConsoleOption console;

    @Option(names = "--json", description = "Print one JSON object per point and driver, and a summary.")
    private boolean json;

    /** Runs the campaigns. If {@code rounds} is given, it replaces the files' rounds, and the control is left out. */
    int run(CommandContext weir, @Nullable Integer rounds) throws InterruptedException {
        return failingAsCommand(() -> runChecked(weir, rounds));
    }

    /** The part of a command that needs brokers and workload files. */
    @FunctionalInterface
    interface Work {
        int run() throws InterruptedException;
    }

    /** Runs {@code work} and reports its failures. A mistake in a workload file becomes a usage error. */
    static int failingAsCommand(Work work) throws InterruptedException {
        try {
            return work.run();
        } catch (WorkloadException e) {
            throw CliFailure.usage(String.valueOf(e.getMessage()), "");
        } catch (BenchException
                | KafkaClusterException
                | KafkaException
                | IllegalArgumentException
                | UncheckedIOException e) {
            throw CliFailure.work(ClientFault.withCause(e), "", e);
        }
    }

    private int runChecked(CommandContext weir, @Nullable Integer rounds) throws InterruptedException {
        BenchEnvironment environment = target.environment();
        ExistingCluster cluster = target.cluster(environment);
        BenchPlan plan = plan();
        try (BenchConsole page = new BenchConsole(weir, json, console)) {
            return runChecked(weir, rounds, plan, cluster, environment, page);
        }
    }

    private int runChecked(
            CommandContext weir,
            @Nullable Integer rounds,
            BenchPlan plan,
            @Nullable ExistingCluster cluster,
            BenchEnvironment environment,
            BenchConsole page)
            throws InterruptedException {
        int campaigns = plan.steps().size();
        List<String> failures = new ArrayList<>();
        for (int i = 0; i < campaigns && !weir.shutdown().isRequested(); i++) {
            BenchPlan.Step step = plan.steps().get(i);
            Duration others = plan.steps().subList(i + 1, campaigns).stream()
                    .filter(other -> !other.isDone())
                    .map(other -> other.workload().expected())
                    .reduce(Duration.ZERO, Duration::plus);
            String name = step.workload().name();
            String prefix = campaigns == 1 ? "" : "campaign " + (i + 1) + "/" + campaigns + ", " + name + ": ";
            String failure;
            try {
                BenchProgress progress = new BenchProgress(weir.terminal(), prefix, others);
                failure = run(
                        weir,
                        step,
                        rounds,
                        cluster,
                        environment,
                        page.hearing(step.folder().toAbsolutePath(), progress));
            } catch (BenchException
                    | KafkaClusterException
                    | KafkaException
                    | IllegalArgumentException
                    | UncheckedIOException e) {
                if (campaigns == 1 && !ResultsFolder.isAt(step.folder())) {
                    // Nothing to print, because the only campaign has no results folder yet.
                    throw e;
                }
                // The other campaigns can still run, and the finished part of this campaign is useful.
                failure = String.valueOf(e.getMessage());
                weir.terminal().clearStatus();
                weir.terminal().note(prefix + failure);
                printFinished(weir, step);
            }
            if (!failure.isEmpty()) {
                failures.add(name + ": " + failure);
            }
        }
        boolean isStopped = weir.shutdown().isRequested();
        if (campaigns > 1 && !isStopped) {
            failures.forEach(failure -> weir.terminal().note("failed: " + failure));
        }
        if (failures.isEmpty() && !isStopped) {
            return ExitCode.DONE;
        }
        weir.tellError(isStopped ? "stopped before the end" : String.join("; ", failures));
        weir.terminal()
                .note("the rest: weir bench compare --resume " + plan.folder()
                        + (cluster == null && environment.isHere()
                                ? ""
                                : ", with the options of cluster and environment as they were"));
        return ExitCode.FAILED;
    }

    /** Prints the finished runs of a campaign that cannot continue. */
    private void printFinished(CommandContext weir, BenchPlan.Step step) {
        if (!ResultsFolder.isAt(step.folder())) {
            return;
        }
        try {
            BenchReports.print(weir, ResultsFolder.open(step.folder()), json);
        } catch (IllegalArgumentException | UncheckedIOException e) { // thrown, for example, if the disk is full
            weir.terminal().note("no report of the finished runs: " + e.getMessage());
        }
    }

    /**
     * Runs the remaining part of a campaign and prints the results. Returns a description of the failures; empty if all
     * is well.
     */
    private String run(
            CommandContext weir,
            BenchPlan.Step step,
            @Nullable Integer rounds,
            @Nullable ExistingCluster cluster,
            BenchEnvironment environment,
            CampaignListener progress)
            throws InterruptedException {
        ResultsFolder folder = step.begun();
        if (folder == null || !step.isDone()) {
            Workload workload =
                    rounds == null ? step.workload() : step.workload().withRounds(rounds, false);
            folder = run(weir, workload, settings(step, cluster, environment), progress);
            weir.terminal().clearStatus();
        }
        boolean isReported = BenchReports.print(weir, folder, json);
        List<Run> failed =
                folder.runs().stream().filter(run -> run.failure() != null).toList();
        return failed.isEmpty()
                ? isReported ? "" : "its report could not be written"
                : failed.size() + " of " + folder.runs().size() + " runs, such as "
                        + failed.getFirst().key().fileName() + ": "
                        + failed.getFirst().failure();
    }

    private ResultsFolder run(
            CommandContext weir, Workload workload, CampaignRunner.Settings settings, CampaignListener progress)
            throws InterruptedException {
        if (simulate) {
            return new SimulatedCampaign(workload, settings, progress).run();
        }
        CampaignRunner runner = new CampaignRunner(workload, settings, progress);
        weir.shutdown().onStop(runner::stop);
        return runner.run();
    }

    private BenchPlan plan() {
        if (resume != null) {
            if (simulate
                    || noTimeline
                    || !files.isEmpty()
                    || quick
                    || results != null
                    || seed != null
                    || !only.isEmpty()) {
                throw CliFailure.usage(
                        "--resume takes everything from the folder: leave out the files and the other options", "");
            }
            return BenchPlan.ofFolder(resume);
        }
        if (files.isEmpty()) {
            throw CliFailure.usage("a workload file is needed, or --resume", "");
        }
        List<Workload> workloads = files.stream()
                .map(file -> Workload.read(BenchFolder.find(file, root()), quick))
                .map(this::read)
                .toList();
        if (workloads.size() == 1) {
            Workload workload = workloads.get(0);
            return BenchPlan.ofOne(only.isEmpty() ? workload : workload.withDrivers(only), results);
        }
        if (!only.isEmpty()) {
            throw CliFailure.usage("--drivers goes with one workload file, since files may have different drivers", "");
        }
        return BenchPlan.ofSeveral(workloads, results);
    }

    private Workload read(Workload workload) {
        return noTimeline ? workload.withoutTimeline() : workload;
    }

    private CampaignRunner.Settings settings(
            BenchPlan.Step step, @Nullable ExistingCluster cluster, BenchEnvironment environment) {
        ResultsFolder begun = step.begun();
        long drawn = begun != null ? begun.campaign().seed() : seed != null ? seed : System.nanoTime();
        return new CampaignRunner.Settings(
                root(), dataOr(data), step.folder().toAbsolutePath(), drawn, begun != null, cluster, environment);
    }

    /** Returns the folder for the brokers' topics: the given folder, or the default folder if it is null. */
    static Path dataOr(@Nullable Path given) {
        return given != null ? given : Path.of(System.getProperty("user.home"), ".cache", "weir", "bench");
    }

    /** Returns the folder that contains the drivers: the checkout or the unpacked archive. */
    static Path root() {
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
                boolean launches = Files.exists(folder.resolve("weir")) || Files.exists(folder.resolve("bin/weir"));
                if (Files.isDirectory(BenchFolder.in(folder).resolve("drivers")) && launches) {
                    return folder;
                }
            }
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
        throw CliFailure.work(
                "the drivers are not where this command was built",
                "Start it through ./weir of a checkout, or bin/weir of the archive.");
    }
}
