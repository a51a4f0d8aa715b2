package dev.weir.cli.tune;

import dev.weir.cli.console.Endpoints;
import dev.weir.cli.terminal.CliFailure;
import dev.weir.cli.terminal.CommandContext;
import dev.weir.cli.terminal.Progress;
import dev.weir.examples.asimov.AsimovPipeline;
import dev.weir.examples.asimov.EventGenerator;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * {@code weir demo --tune}: one version after the other, each from what was measured of the one before, until nothing
 * is left to do. Confined to the thread of the command.
 */
public final class Tuning {
    private static final int PARTITIONS = 6;

    /** Whole segments are deleted, and only closed ones. */
    private static final Map<String, String> DELETED_SOON =
            Map.of("segment.bytes", Integer.toString(64 << 20), "file.delete.delay.ms", "1000");

    private final CommandContext weir;
    private final TuneOption option;
    private final int events;
    private final EventGenerator generator;
    private final boolean json;

    private @Nullable Outputs firstOutputs;
    private @Nullable String flaw;

    /**
     * Prepares it.
     *
     * @param events for each version
     * @param seed of the traffic
     * @param json whether to tell it as JSON
     */
    public Tuning(CommandContext weir, TuneOption option, int events, long seed, boolean json) {
        this.weir = weir;
        this.option = option;
        this.events = events;
        this.generator = option.generator(seed);
        this.json = json;
    }

    /** Runs it and tells each step and the summary; returns the exit code. */
    public int run(Endpoints endpoints) throws InterruptedException {
        try (Version first = option.first()) {
            return run(first, endpoints);
        }
    }

    /** From this version on, which its caller closes: how tests plant one whose outputs are wrong. */
    int run(Version first, Endpoints endpoints) throws InterruptedException {
        // From here on a signal ends the run, not the process: the broker's folder is to be deleted.
        weir.shutdown().onStop(() -> {});
        weir.terminal().status("starting a Kafka broker in this process");
        TuneReport report = new TuneReport(weir, events, json);
        try (KafkaCluster cluster = KafkaCluster.builder()
                        // No other broker could take over: on a busy machine a late heartbeat should mean nothing.
                        .brokerConfig("broker.session.timeout.ms", "60000")
                        .brokerConfig("log.retention.check.interval.ms", "5000")
                        .start();
                Progress progress = weir.progress()) {
            cluster.createTopic(AsimovPipeline.EVENTS, PARTITIONS);
            cluster.createTopic(AsimovPipeline.PAGE_VIEWS, PARTITIONS, DELETED_SOON);
            cluster.createTopic(AsimovPipeline.DEAD_LETTERS, PARTITIONS, DELETED_SOON);
            weir.terminal().clearStatus();
            weir.terminal().note("broker   " + cluster.bootstrapServers() + ", in this process");
            weir.terminal().note("traffic  %,d events for each step".formatted(events));
            Events.write(cluster.bootstrapServers(), generator, events, progress, weir.shutdown());
            tune(first, cluster, endpoints, report, progress);
        } catch (KafkaClusterException e) {
            throw CliFailure.work("the demo's broker failed: " + e.getMessage(), "", e);
        }
        return report.summary(flaw, weir.shutdown().isRequested());
    }

    private void tune(Version first, KafkaCluster cluster, Endpoints endpoints, TuneReport report, Progress progress)
            throws InterruptedException {
        VersionRun run = new VersionRun(weir, endpoints, cluster.bootstrapServers(), events);
        Climb.from(first, new CheckedRuns(run, cluster, progress), outcome -> {
            weir.terminal().clearStatus();
            report.step(outcome);
        });
    }

    /** Runs of versions whose outputs are compared with those of the first one. */
    private final class CheckedRuns implements Climb.Runs {
        private final VersionRun run;
        private final KafkaCluster cluster;
        private final Progress progress;

        CheckedRuns(VersionRun run, KafkaCluster cluster, Progress progress) {
            this.run = run;
            this.cluster = cluster;
            this.progress = progress;
        }

        @Override
        public @Nullable Measurement measure(Version version, int step) throws InterruptedException {
            Outputs.delete(cluster);
            if (!run.warmUp(version, step, progress)) {
                return null;
            }
            Measurement profiled = version.needsShares() ? run.pass(version, step, true, progress) : null;
            if (profiled == null && version.needsShares()) {
                return null;
            }
            List<Measurement> measured = new ArrayList<>();
            Passes passes = new Passes();
            while (!passes.areEnough() && flaw == null) {
                Measurement one = checkedPass(version, step);
                if (one == null) {
                    return null;
                }
                measured.add(one);
                passes.add(one.recordsPerSecond(), eventsOfAPass());
            }
            Measurement median = Measurement.median(measured);
            return profiled == null ? median : median.withShares(profiled);
        }

        private @Nullable Measurement checkedPass(Version version, int step) throws InterruptedException {
            Outputs.delete(cluster);
            Map<TopicPartition, Long> starts = Outputs.ends(cluster);
            Measurement measured = run.pass(version, step, false, progress);
            if (measured == null) {
                return null;
            }
            Outputs outputs = Outputs.read(cluster, starts, generator, events, progress, weir.shutdown());
            if (outputs == null) {
                return null;
            }
            firstOutputs = firstOutputs == null ? outputs : firstOutputs;
            flaw = outputs.flaw(firstOutputs);
            return measured;
        }

        @Override
        public @Nullable Double again(Version version, int step) throws InterruptedException {
            Outputs.delete(cluster);
            Measurement measured = run.pass(version, step, false, progress);
            return measured == null ? null : measured.recordsPerSecond();
        }

        @Override
        public double eventsOfAPass() {
            return run.eventsMeasured();
        }

        @Override
        public boolean areOver() {
            return flaw != null || weir.shutdown().isRequested();
        }
    }
}
