package dev.weir.bench.command;

import dev.weir.bench.campaign.CampaignRunner;
import dev.weir.bench.campaign.ExploreRunner;
import dev.weir.bench.environment.BenchEnvironment;
import dev.weir.bench.environment.BenchFolder;
import dev.weir.bench.report.ExploredReport;
import dev.weir.bench.result.Explored;
import dev.weir.bench.workload.LatencyTarget;
import dev.weir.bench.workload.Workload;
import dev.weir.command.terminal.CliFailure;
import dev.weir.command.terminal.CommandContext;
import dev.weir.command.terminal.ExitCode;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code weir bench explore}. Confined to the main thread. */
@Command(
        name = "explore",
        sortOptions = false,
        description = {
            "Find the highest rate that each driver of a workload file sustains under a latency target, as an interval.",
            "The rate is ramped up and bisected; then it has to hold for longer, and to recover from a cold start, a restart"
                    + " of half the members and a pause.",
            "Exit code 0 with any verdict."
        })
final class BenchExploreCommand implements Callable<Integer> {

    @ParentCommand
    private BenchCommand bench;

    @Parameters(
            paramLabel = "WORKLOAD",
            description = "A workload file, for example workloads/explore/two-members.yaml.")
    private Path file;

    @Option(
            names = "--target",
            paramLabel = "TARGET",
            description =
                    "The latency to keep to, in place of the file's: \"p99<=100ms\", or \"worst p99<=100ms\" of each"
                            + " partition.")
    private @Nullable String target;

    @Option(
            names = "--max-seconds",
            paramLabel = "N",
            description = "How long all searches together may take, in place of the file's explore.maxSeconds.")
    private @Nullable Integer maxSeconds;

    @Option(names = "--quick", description = "Apply the file's section quick: shorter trials.")
    private boolean quick;

    @Option(names = "--drivers", paramLabel = "NAME", split = ",", description = "Only these drivers of the file.")
    private List<String> only = List.of();

    @Option(
            names = "--results",
            paramLabel = "DIR",
            description = "Folder for the results (default: bench-results/NAME-explore-TIME).")
    private @Nullable Path results;

    @Option(names = "--data", paramLabel = "DIR", description = "Folder of the brokers (default: ~/.cache/weir/bench).")
    private @Nullable Path data;

    @Mixin
    private BenchTarget cluster;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Seed of arrivals that are not even (default: random, and recorded).")
    private @Nullable Long seed;

    @Option(
            names = "--simulate",
            description = "Search a model of brokers and groups with its own clock, from the seed: in a moment and"
                    + " without processes. Its figures describe no library.")
    private boolean simulate;

    @Option(names = "--json", description = "Print one JSON object per driver and point.")
    private boolean json;

    @Override
    public Integer call() throws InterruptedException {
        if (maxSeconds != null && maxSeconds < 1) {
            throw CliFailure.usage("--max-seconds must be at least 1: --max-seconds=" + maxSeconds, "");
        }
        return BenchCampaign.failingAsCommand(() -> explored(bench.weir()));
    }

    private int explored(CommandContext weir) throws InterruptedException {
        LatencyTarget asked = target == null ? null : LatencyTarget.of(target);
        Workload workload = Workload.read(BenchFolder.find(file, BenchCampaign.root()), quick)
                .alone(only);
        Path folder = results != null
                ? results
                : Path.of("bench-results", CampaignRunner.newId(workload.name() + "-explore", quick));
        BenchEnvironment environment = cluster.environment();
        CampaignRunner.Settings settings = new CampaignRunner.Settings(
                BenchCampaign.root(),
                BenchCampaign.dataOr(data),
                folder.toAbsolutePath(),
                seed != null ? seed : System.nanoTime(),
                false,
                cluster.cluster(environment),
                environment);
        double most = maxSeconds == null ? 0 : maxSeconds;
        ExploreProgress progress = new ExploreProgress(weir.terminal());
        ExploreRunner runner = simulate
                ? ExploreRunner.simulated(workload, settings, asked, most, progress)
                : new ExploreRunner(workload, settings, asked, most, progress);
        weir.shutdown().onStop(runner::stop);
        List<Explored> all = runner.run();
        weir.terminal().clearStatus();
        weir.out().print(json ? ExploredReport.lines(all) : ExploredReport.text(all));
        weir.out().flush();
        weir.terminal().note("results: " + folder);
        if (runner.isStopped()) {
            weir.tellError("stopped before the end");
            return ExitCode.FAILED;
        }
        return ExitCode.DONE;
    }
}
