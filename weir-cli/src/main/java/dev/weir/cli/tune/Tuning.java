package dev.weir.cli.tune;

import dev.weir.cli.console.Endpoints;
import dev.weir.cli.console.TuneOutput;
import dev.weir.command.terminal.CliFailure;
import dev.weir.command.terminal.CommandContext;
import dev.weir.command.terminal.ExitCode;
import dev.weir.command.terminal.Printable;
import dev.weir.command.terminal.Progress;
import dev.weir.console.tune.TuneReport;
import dev.weir.console.tune.Tuner;
import dev.weir.examples.asimov.AsimovPipeline;
import dev.weir.examples.asimov.EventGenerator;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ProducerSettings;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * {@code weir demo --tune}: runs a {@link Tuner} on a pipeline that reads its events repeatedly. Then starts the
 * pipeline with the settings found. Its output must equal the output of the first draft. Confined to the command's
 * thread.
 */
public final class Tuning {
    private static final int PARTITIONS = 6;

    /** Makes the broker delete old outputs quickly. It deletes only closed segments, so the segments are small. */
    private static final Map<String, String> DELETED_SOON =
            Map.of("segment.bytes", Integer.toString(64 << 20), "file.delete.delay.ms", "1000");

    /** Outputs kept per partition while the pipeline is tuned. */
    private static final long OUTPUTS_KEPT = 10_000;

    /** Length of a measurement. It is short, because a demo takes only minutes. */
    private static final Duration WINDOW = Duration.ofSeconds(1);

    private static final int MOST_STEPS = 20;

    private static final Duration DRAIN = Duration.ofSeconds(30);

    private final CommandContext weir;
    private final TuneOption option;
    private final int events;
    private final long seed;
    private final boolean json;

    private int groups;

    /**
     * Prepares the tuning.
     *
     * @param events number of events in the topic
     * @param seed of the traffic
     * @param json whether to report in JSON
     */
    public Tuning(CommandContext weir, TuneOption option, int events, long seed, boolean json) {
        this.weir = weir;
        this.option = option;
        this.events = events;
        this.seed = seed;
        this.json = json;
    }

    /** Runs the tuning and reports each step and the summary; returns the exit code. */
    public int run(Endpoints endpoints) throws InterruptedException {
        try (Example example = option.example()) {
            return run(example, Tuner.builder().window(WINDOW).maxSteps(MOST_STEPS), endpoints);
        }
    }

    /** Runs the tuning. The caller closes the example. Tests inject wrong outputs here. */
    int run(Example example, Tuner.Builder tuner, Endpoints endpoints) throws InterruptedException {
        // From here on, a signal ends the run and not the process: the broker's folder must be deleted.
        weir.shutdown().onStop(() -> {});
        weir.terminal().status("starting a Kafka broker in this process");
        endpoints.announce("Starting a Kafka broker in this process");
        try (KafkaCluster cluster = KafkaCluster.builder()
                        // A busy machine may delay heartbeats. The only broker's session must not expire.
                        .brokerConfig("broker.session.timeout.ms", "60000")
                        .brokerConfig("log.retention.check.interval.ms", "5000")
                        .start();
                Progress progress = weir.progress()) {
            cluster.createTopic(AsimovPipeline.EVENTS, PARTITIONS);
            cluster.createTopic(AsimovPipeline.PAGE_VIEWS, PARTITIONS, DELETED_SOON);
            cluster.createTopic(AsimovPipeline.DEAD_LETTERS, PARTITIONS, DELETED_SOON);
            weir.terminal().clearStatus();
            weir.terminal().note("broker   " + cluster.bootstrapServers() + ", in this process");
            weir.terminal().note(String.format(Locale.ROOT, "traffic  %,d events, again and again", events));
            weir.terminal().note("begins   " + example.draft());
            endpoints.announce(String.format(Locale.ROOT, "Writing %,d events for the pipeline to read", events));
            EventGenerator generator = example.traffic(seed);
            Events.write(cluster.bootstrapServers(), generator, events, progress, weir.shutdown());
            return run(new Run(example, generator, cluster, endpoints, progress), tuner);
        } catch (KafkaClusterException e) {
            throw CliFailure.work("the demo's broker failed: " + e.getMessage(), "", e);
        }
    }

    private int run(Run run, Tuner.Builder tuner) throws InterruptedException {
        Outputs wanted = run.outputs(run.example::reference, "what the first draft writes");
        TuneReport report = wanted == null ? null : run.tune(tuner);
        if (wanted == null || report == null) {
            return told(null, null, false);
        }
        Outputs found = TuneOutput.isFailure(report)
                ? null
                : run.outputs(
                        (consumer, producer) -> run.example.pipeline(report.settings(), consumer, producer),
                        "the best setting once more");
        return told(report, found == null ? null : found.flaw(wanted), found != null);
    }

    /**
     * Prints the summary. The summary is incomplete if the command was stopped.
     *
     * @param flaw the fault in the outputs, without a full stop; null if there is none
     * @param compared whether the outputs were compared with the reference
     */
    private int told(@Nullable TuneReport report, @Nullable String flaw, boolean compared) {
        weir.terminal().clearStatus();
        String failure = flaw != null
                ? "with the best setting " + flaw
                : report != null && TuneOutput.isFailure(report) ? report.reason() : null;
        if (json) {
            weir.json().write(line -> {
                line.writeNumberField("events", events);
                if (report != null) {
                    TuneOutput.writeSummary(line, report);
                } else {
                    line.writeNumberField("steps", 0);
                    line.writeBooleanField("stopped", true);
                }
                if (compared) {
                    line.writeBooleanField("outputs_equal", flaw == null);
                } else {
                    line.writeNullField("outputs_equal");
                }
                if (failure != null) {
                    line.writeStringField("error", failure);
                }
            });
            weir.errorIsReported();
        } else {
            if (report != null) {
                new TuneOutput(weir, false).print(report, "found:");
            }
            weir.out().println();
            weir.out()
                    .println(
                            failure != null
                                    ? "FAILED: " + Printable.line(failure) + "."
                                    : compared
                                            ? "OK: started with that, it wrote the same bytes as the first draft."
                                            : "stopped: no outputs were compared.");
            weir.out().flush();
        }
        return failure == null ? ExitCode.DONE : ExitCode.FAILED;
    }

    /** One example with its broker. */
    private final class Run {

        private final Example example;
        private final EventGenerator generator;
        private final KafkaCluster cluster;
        private final Endpoints endpoints;
        private final Progress progress;

        Run(Example example, EventGenerator generator, KafkaCluster cluster, Endpoints endpoints, Progress progress) {
            this.example = example;
            this.generator = generator;
            this.cluster = cluster;
            this.endpoints = endpoints;
            this.progress = progress;
        }

        private RunningPipeline start(
                BiFunction<ConsumerSettings.Builder<byte[], byte[]>, ProducerSettings.Builder<byte[], byte[]>, Pipeline>
                        blueprint) {
            groups++;
            RunningPipeline running = blueprint
                    .apply(
                            ConsumerSettings.builder()
                                    .bootstrapServers(cluster.bootstrapServers())
                                    .groupId("weir-tune-" + groups),
                            ProducerSettings.builder().bootstrapServers(cluster.bootstrapServers()))
                    .run();
            endpoints.show(running);
            return running;
        }

        /** Tunes the pipeline; null if the command was stopped before a step was measured. */
        @Nullable
        @SuppressWarnings("try") // events are read again until the resource is closed
        TuneReport tune(Tuner.Builder settings) throws InterruptedException {
            example.stages().forEach(settings::raise);
            example.alternatives(settings);
            Tuner tuner = settings.build();
            weir.shutdown().onStop(tuner::stop);
            TuneOutput output = new TuneOutput(weir, json);
            AtomicInteger steps = new AtomicInteger();
            try (RunningPipeline running =
                            start((consumer, producer) -> example.pipeline(Map.of(), consumer, producer));
                    EndlessEvents endless = EndlessEvents.of(
                            running, events / PARTITIONS, () -> Outputs.deleteAllBut(OUTPUTS_KEPT, cluster))) {
                endless.start();
                progress.update(() -> String.format(Locale.ROOT, "measuring step %d", steps.get() + 1));
                TuneReport report = tuner.run(running, step -> {
                    steps.set(step.number());
                    weir.terminal().clearStatus();
                    output.step(step);
                    progress.update(() -> String.format(Locale.ROOT, "measuring step %d", steps.get() + 1));
                });
                return report.steps().isEmpty() && weir.shutdown().isRequested() ? null : report;
            }
        }

        /** Returns the output of a pipeline that reads all events once; null if the command was stopped. */
        @Nullable
        Outputs outputs(
                BiFunction<ConsumerSettings.Builder<byte[], byte[]>, ProducerSettings.Builder<byte[], byte[]>, Pipeline>
                        blueprint,
                String what)
                throws InterruptedException {
            Outputs.delete(cluster);
            Map<TopicPartition, Long> starts = Outputs.ends(cluster);
            try (RunningPipeline running = start(blueprint)) {
                if (!AllEvents.areThrough(running, events, weir.shutdown(), progress, what)) {
                    return null;
                }
                running.drain(DRAIN);
            }
            return Outputs.read(cluster, starts, generator, events, progress, weir.shutdown());
        }
    }
}
