package dev.weir.cli.demo;

import dev.weir.cli.console.Endpoints;
import dev.weir.command.terminal.CliFailure;
import dev.weir.command.terminal.CommandContext;
import dev.weir.command.terminal.Progress;
import dev.weir.examples.asimov.AsimovPipeline;
import dev.weir.examples.asimov.EventGenerator;
import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ProducerSettings;
import dev.weir.metrics.LimiterProbe;
import dev.weir.stream.DrainReport;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.StageSnapshot;
import dev.weir.stream.spi.Thrown;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerConfig;

/**
 * One run of the demo, from the start of the broker to the check of the output. Confined to the command's thread;
 * traffic and pipeline have their own threads.
 */
final class DemoRun {

    private static final int PARTITIONS = 6;
    private static final String GROUP = "weir-demo";

    /** Limit on outstanding records. It is small, so that partitions visibly pause while the pipeline is behind. */
    private static final int MAX_OUTSTANDING_RECORDS = 2048;

    /** Interval between commits. */
    private static final Duration COMMIT_INTERVAL = Duration.ofMillis(200);

    private static final long TICK_MILLIS = 50;

    /** Time without progress after which the run checks the output as it is. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final Duration DRAIN = Duration.ofSeconds(30);

    private final CommandContext weir;
    private final DemoPlan plan;
    private final DemoCommand.PipelineFactory pipelines;
    private final Endpoints endpoints;
    private final LongAdder deadLetters = new LongAdder();

    DemoRun(CommandContext weir, DemoPlan plan, DemoCommand.PipelineFactory pipelines, Endpoints endpoints) {
        this.weir = weir;
        this.plan = plan;
        this.pipelines = pipelines;
        this.endpoints = endpoints;
    }

    DemoSummary run() throws InterruptedException {
        // From here on, a signal ends the traffic and not the process: the broker's folder must be deleted.
        weir.shutdown().onStop(() -> {});
        weir.terminal().status("starting a Kafka broker in this process");
        endpoints.announce("Starting a Kafka broker in this process");
        try (KafkaCluster cluster = KafkaCluster.builder()
                // A busy machine may delay heartbeats. The only broker's session must not expire.
                .brokerConfig("broker.session.timeout.ms", "60000")
                .start()) {
            cluster.createTopic(AsimovPipeline.EVENTS, PARTITIONS);
            // The broker's timestamps show when the output was written.
            Map<String, String> brokerTime = Map.of("message.timestamp.type", "LogAppendTime");
            cluster.createTopic(AsimovPipeline.PAGE_VIEWS, PARTITIONS, brokerTime);
            cluster.createTopic(AsimovPipeline.DEAD_LETTERS, PARTITIONS, brokerTime);
            weir.terminal().clearStatus();
            weir.terminal().note("broker   " + cluster.bootstrapServers() + ", in this process");
            weir.terminal()
                    .note("flow     " + AsimovPipeline.EVENTS + " (" + PARTITIONS + " partitions) -> asimov -> "
                            + AsimovPipeline.PAGE_VIEWS + ", " + AsimovPipeline.DEAD_LETTERS);
            weir.terminal().note("traffic  " + plan);
            return run(cluster);
        } catch (KafkaClusterException e) {
            throw CliFailure.work("the demo's broker failed: " + e.getMessage(), "", e);
        }
    }

    private DemoSummary run(KafkaCluster cluster) throws InterruptedException {
        String bootstrapServers = cluster.bootstrapServers();
        EventGenerator generator = new EventGenerator(plan.seed());
        try (RunningPipeline running = pipeline(bootstrapServers).run();
                DemoTraffic traffic =
                        new DemoTraffic(bootstrapServers, generator, plan, () -> acknowledged(running.stages()));
                LimiterProbe probe = LimiterProbe.start(running);
                Progress progress = weir.progress()) {
            endpoints.show(running, probe);
            weir.shutdown().onStop(traffic::stop);
            flow(cluster, running, traffic, progress);
            DrainReport report = running.drain(DRAIN);
            report.leftUndone().forEach(left -> weir.terminal().note("left undone: " + left));
            DemoVerifier verifier = new DemoVerifier(generator, (int) traffic.generated());
            verifier.readBack(bootstrapServers, progress);
            return new DemoSummary(
                    plan,
                    verifier.books(),
                    verifier.latencyMillis(),
                    verifier.elapsedMillis(),
                    probe.overall(),
                    ConsumerHandle.of(running).snapshot().dropped());
        }
    }

    private Pipeline pipeline(String bootstrapServers) {
        String clientId = endpoints.clientId(GROUP);
        ConsumerSettings<byte[], byte[]> consumer = ConsumerSettings.builder()
                .bootstrapServers(bootstrapServers)
                .groupId(GROUP)
                .commitInterval(COMMIT_INTERVAL)
                .maxOutstandingRecords(MAX_OUTSTANDING_RECORDS)
                .property(ConsumerConfig.CLIENT_ID_CONFIG, clientId == null ? "weir-" + GROUP : clientId)
                .build();
        ProducerSettings<byte[], byte[]> producer =
                ProducerSettings.builder().bootstrapServers(bootstrapServers).build();
        return pipelines.create(consumer, producer, deadLetters::increment);
    }

    private void flow(KafkaCluster cluster, RunningPipeline running, DemoTraffic traffic, Progress progress)
            throws InterruptedException {
        Future<DrainReport> end = running.completion();
        ConsumerHandle consumer = running.handles(ConsumerHandle.class).getFirst();
        Waiting forGroup = new Waiting(end, traffic);
        // Start the traffic after the consumer has joined the group, which takes a while.
        while (consumer.snapshot().partitions().size() < PARTITIONS && forGroup.goesOn(0)) {
            progress.update(() -> "joining the consumer group");
        }
        long last = acknowledged(running.stages());
        DemoStatus status = new DemoStatus(traffic, consumer, deadLetters::sum);
        traffic.start();
        Waiting forAll = new Waiting(end, traffic);
        // Once all offsets are committed, the pipeline is empty.
        BooleanSupplier allCommitted = () -> traffic.isDone() && committed(cluster) >= traffic.generated();
        while (!allCommitted.getAsBoolean() && forAll.goesOn(traffic.generated() + last)) {
            long acknowledged = acknowledged(running.stages());
            last = acknowledged;
            progress.update(() -> status.line(acknowledged));
        }
    }

    private static long acknowledged(List<StageSnapshot> stages) {
        return stages.getLast().elementsOut();
    }

    private static long committed(KafkaCluster cluster) {
        return cluster.committedOffsets(GROUP).values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    /** Waits as long as the run makes progress. */
    private final class Waiting {

        private final Future<DrainReport> end;
        private final DemoTraffic traffic;

        private long lastMoved = -1;
        private long movedNanos = System.nanoTime();

        Waiting(Future<DrainReport> end, DemoTraffic traffic) {
            this.end = end;
            this.traffic = traffic;
        }

        /**
         * Waits one tick. Returns false to stop waiting and check the output as it is.
         *
         * @param moved a count that increases whenever there is progress
         */
        boolean goesOn(long moved) throws InterruptedException {
            Exception refused = traffic.failure();
            if (refused != null) {
                throw CliFailure.work("events could not be produced: " + Thrown.reason(refused), "", refused);
            }
            try {
                end.get(TICK_MILLIS, TimeUnit.MILLISECONDS);
                throw CliFailure.work("the pipeline ended before the traffic did", "");
            } catch (ExecutionException failed) {
                throw CliFailure.work("the pipeline failed: " + failed.getCause(), "", failed);
            } catch (TimeoutException stillRunning) {
                return isMoving(moved);
            }
        }

        private boolean isMoving(long moved) {
            long now = System.nanoTime();
            if (moved != lastMoved) {
                lastMoved = moved;
                movedNanos = now;
            }
            if (now - movedNanos < PATIENCE.toNanos()) {
                return true;
            }
            weir.terminal().note("nothing moved for " + PATIENCE.toSeconds() + " s; verifying the records there");
            return false;
        }
    }
}
