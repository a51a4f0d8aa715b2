package dev.weir.metrics;

import static dev.weir.metrics.MeterSpec.counter;
import static dev.weir.metrics.MeterSpec.flag;
import static dev.weir.metrics.MeterSpec.gauge;

import dev.weir.kafka.CircuitBreaker;
import dev.weir.kafka.ConsumerDump;
import dev.weir.kafka.ConsumerDump.Oldest;
import dev.weir.kafka.ConsumerDump.PartitionDump;
import dev.weir.kafka.ConsumerDump.Paused;
import dev.weir.kafka.ConsumerHealth;
import dev.weir.kafka.ConsumerSnapshot;
import dev.weir.stream.DispatcherSnapshot;
import dev.weir.stream.StageSnapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** All of Weir's meters, one list per kind of subject. A test compares {@code docs/reference/metrics.md} with it. */
final class PipelineMeters {

    static final String PIPELINE_TAG = "pipeline";
    static final String STAGE_TAG = "stage";
    static final String CONSUMER_TAG = "consumer";
    static final String TOPIC_TAG = "topic";
    static final String PARTITION_TAG = "partition";
    static final String REASON_TAG = "reason";
    static final String DISPATCHER_TAG = "dispatcher";
    static final String KIND_TAG = "kind";
    static final String NAME_TAG = "name";
    static final String BREAKER_TAG = "breaker";
    static final String MEMBER_TAG = "member";

    private static final double NANOS = 1e9;

    /** A reading of a consumer. */
    record ConsumerLook(ConsumerSnapshot snapshot, ConsumerDump dump, ConsumerHealth health, long bytes) {

        long paused(Paused reason) {
            return dump.partitions().stream()
                    .filter(partition -> partition.paused().contains(reason))
                    .count();
        }

        double oldestSeconds() {
            return dump.partitions().stream()
                    .mapToDouble(PipelineMeters::oldestSeconds)
                    .max()
                    .orElse(0);
        }

        /** Age of the latest commit of any partition; NaN before the first commit. */
        double commitAgeSeconds() {
            return dump.partitions().stream()
                    .map(PartitionDump::sinceCommit)
                    .filter(Objects::nonNull)
                    .mapToDouble(PipelineMeters::seconds)
                    .min()
                    .orElse(Double.NaN);
        }

        /** Largest known lag of a partition in seconds; NaN if none is known. */
        double lagSeconds() {
            return dump.partitions().stream()
                    .map(PartitionDump::lagTime)
                    .filter(Objects::nonNull)
                    .mapToDouble(PipelineMeters::seconds)
                    .max()
                    .orElse(Double.NaN);
        }

        double silentSeconds() {
            Instant since = health.noAnswerSince();
            return since == null ? 0 : Math.max(0, seconds(Duration.between(since, dump.at())));
        }

        long unknownLags() {
            return snapshot.partitions().stream()
                    .filter(partition -> partition.lag() < 0)
                    .count();
        }

        long outstanding() {
            return snapshot.partitions().stream()
                    .mapToLong(ConsumerSnapshot.PartitionSnapshot::outstanding)
                    .sum();
        }
    }

    /** Failed records of a pipeline: dead-letter record written, written without its value (cut), or refused (held). */
    record DeadLetterLook(long written, long cut, long held) {}

    static final List<MeterSpec<Boolean>> PIPELINE = List.of(
            flag("weir.pipeline.running", "Whether the pipeline is running; 0 once it has ended.", running -> running));

    static final List<MeterSpec<StageSnapshot>> STAGE = List.of(
            counter("weir.stage.elements.in", "elements", "Elements that the stage took.", StageSnapshot::elementsIn),
            counter(
                    "weir.stage.elements.out",
                    "elements",
                    "Elements that the stage handed on.",
                    StageSnapshot::elementsOut),
            counter(
                    "weir.stage.busy.seconds",
                    "seconds",
                    "Time that the stage's threads worked, in total; its rate is the number of busy threads.",
                    stage -> stage.busyNanos() / NANOS),
            counter(
                    "weir.stage.starved.seconds",
                    "seconds",
                    "Time that the stage's threads waited for input, in total.",
                    stage -> stage.blockedUpNanos() / NANOS),
            counter(
                    "weir.stage.blocked.seconds",
                    "seconds",
                    "Time that the stage's threads waited for the next stage to take their output, in total.",
                    stage -> stage.blockedDownNanos() / NANOS),
            gauge(
                    "weir.stage.depth",
                    "elements",
                    "Elements that wait in the stage or, in a parallel stage, are being processed by its workers.",
                    StageSnapshot::depth),
            gauge(
                    "weir.stage.parallelism",
                    "threads",
                    "Maximum number of threads that work in the stage at once.",
                    StageSnapshot::parallelism));

    static final List<MeterSpec<Limiter>> LIMITER =
            List.of(gauge("weir.limiter", "1", "Always 1; the tags name the current limiter.", limiter -> 1));

    static final List<MeterSpec<ConsumerLook>> CONSUMER = Stream.concat(
                    consumerMeters().stream(), Stream.of(Paused.values()).map(PipelineMeters::pausedMeter))
            .toList();

    static final List<MeterSpec<PartitionDump>> PARTITION = List.of(
            gauge(
                    "weir.partition.lag.records",
                    "records",
                    "Records from the first unfinished record to the end of the partition; no value while unknown.",
                    partition -> partition.lag() < 0 ? Double.NaN : partition.lag()),
            gauge(
                    "weir.partition.lag.seconds",
                    "seconds",
                    "Age of the first unfinished record by its timestamp; 0 if caught up; no value while unknown.",
                    partition -> seconds(partition.lagTime())),
            gauge(
                    "weir.partition.oldest.unfinished.seconds",
                    "seconds",
                    "Time for which the same record has been the first unfinished record; 0 if no record is unfinished.",
                    PipelineMeters::oldestSeconds),
            gauge(
                    "weir.partition.outstanding.records",
                    "records",
                    "Records buffered or in the pipeline, counted from the first unfinished record.",
                    partition -> (double) partition.buffered() + partition.inFlight()),
            flag(
                    "weir.partition.paused",
                    "Whether the partition is paused, for any reason.",
                    partition -> !partition.paused().isEmpty()));

    static final List<MeterSpec<DeadLetterLook>> LETTERS = List.of(
            counter(
                    "weir.deadletters.written",
                    "records",
                    "Failed records that were written to a dead-letter or retry topic and acknowledged.",
                    DeadLetterLook::written),
            counter(
                    "weir.deadletters.cut",
                    "records",
                    "Dead-letter records that were too large and were written without their value.",
                    DeadLetterLook::cut),
            gauge(
                    "weir.deadletters.held",
                    "records",
                    "Failed records that the pipeline cannot finish, because the brokers refuse their dead-letter records.",
                    DeadLetterLook::held));

    static final List<MeterSpec<DispatcherSnapshot>> DISPATCHER = List.of(
            gauge(
                    "weir.dispatcher.size",
                    "threads",
                    "Maximum number of threads; no value for virtual threads.",
                    dispatcher -> dispatcher.size() == Integer.MAX_VALUE ? Double.NaN : dispatcher.size()),
            gauge("weir.dispatcher.threads", "threads", "Existing threads.", DispatcherSnapshot::threads),
            gauge("weir.dispatcher.active", "tasks", "Running tasks.", DispatcherSnapshot::active),
            gauge("weir.dispatcher.queued", "tasks", "Tasks that wait for a thread.", DispatcherSnapshot::queued),
            counter("weir.dispatcher.completed", "tasks", "Completed tasks.", DispatcherSnapshot::completed));

    static final List<MeterSpec<CircuitBreaker.Snapshot>> BREAKER = List.of(
            flag(
                    "weir.breaker.open",
                    "Whether the breaker blocks all calls.",
                    breaker -> breaker.state() == CircuitBreaker.State.OPEN),
            flag(
                    "weir.breaker.half.open",
                    "Whether the breaker lets only probe calls through.",
                    breaker -> breaker.state() == CircuitBreaker.State.HALF_OPEN),
            gauge(
                    "weir.breaker.failures",
                    "calls",
                    "Failures among the calls that the breaker evaluates.",
                    CircuitBreaker.Snapshot::failures),
            counter(
                    "weir.breaker.opened",
                    "times",
                    "How often the breaker has opened.",
                    CircuitBreaker.Snapshot::timesOpened));

    /** The meters of one kind of subject and the keys of their tags. */
    record Kind(List<String> tags, List<? extends MeterSpec<?>> meters) {}

    static final List<Kind> ALL = List.of(
            new Kind(List.of(PIPELINE_TAG), PIPELINE),
            new Kind(List.of(PIPELINE_TAG, KIND_TAG, NAME_TAG), LIMITER),
            new Kind(List.of(PIPELINE_TAG, STAGE_TAG), STAGE),
            new Kind(List.of(PIPELINE_TAG, CONSUMER_TAG), CONSUMER),
            new Kind(List.of(PIPELINE_TAG, CONSUMER_TAG, TOPIC_TAG, PARTITION_TAG), PARTITION),
            new Kind(List.of(PIPELINE_TAG, STAGE_TAG), ProducerMeters.PRODUCER),
            new Kind(List.of(PIPELINE_TAG), LETTERS),
            new Kind(List.of(PIPELINE_TAG, MEMBER_TAG), ShareMeters.MEMBER),
            new Kind(List.of(DISPATCHER_TAG, KIND_TAG), DISPATCHER),
            new Kind(List.of(BREAKER_TAG), BREAKER));

    private PipelineMeters() {}

    private static List<MeterSpec<ConsumerLook>> consumerMeters() {
        List<MeterSpec<ConsumerLook>> meters = new ArrayList<>(recordMeters());
        meters.addAll(groupMeters());
        meters.add(flag(
                "weir.consumer.live",
                "Whether the consumer's thread still runs its loop; if not, only a restart helps.",
                look -> look.health.live()));
        meters.add(flag(
                "weir.consumer.ready",
                "Whether the consumer is in its group and knows where to read each partition.",
                look -> look.health.ready()));
        meters.add(flag(
                "weir.consumer.progressing",
                "1 if records are being finished or there are none to finish, otherwise 0.",
                look -> look.health.progressing()));
        return meters;
    }

    private static List<MeterSpec<ConsumerLook>> recordMeters() {
        return List.of(
                gauge(
                        "weir.consumer.lag.records",
                        "records",
                        "Records from each partition's first unfinished record to its end, summed over the partitions whose lag is known.",
                        look -> look.snapshot.lag()),
                gauge(
                        "weir.consumer.lag.seconds",
                        "seconds",
                        "Age of a partition's first unfinished record by its timestamp; the maximum over all partitions; 0 if caught up.",
                        ConsumerLook::lagSeconds),
                gauge(
                        "weir.consumer.lag.unknown",
                        "partitions",
                        "Partitions whose lag is not known yet.",
                        ConsumerLook::unknownLags),
                gauge(
                        "weir.consumer.oldest.unfinished.seconds",
                        "seconds",
                        "Time for which the same record has been a partition's first unfinished record; the maximum over all partitions; 0 if no record is unfinished.",
                        ConsumerLook::oldestSeconds),
                gauge(
                        "weir.consumer.outstanding.records",
                        "records",
                        "Records buffered or in the pipeline, counted from each partition's first unfinished record.",
                        ConsumerLook::outstanding),
                gauge(
                        "weir.consumer.outstanding.bytes",
                        "bytes",
                        "Total size of the outstanding records, limited by `bufferBytes`; no value if unknown.",
                        look -> look.bytes < 0 ? Double.NaN : look.bytes),
                gauge(
                        "weir.consumer.inflight.records",
                        "records",
                        "Records that the pipeline has pulled, counted from each partition's first unfinished record.",
                        look -> look.snapshot.inFlight()),
                gauge(
                        "weir.consumer.buffered.records",
                        "records",
                        "Fetched records that the pipeline has not pulled yet.",
                        look -> look.snapshot.bufferedRecords()));
    }

    private static List<MeterSpec<ConsumerLook>> groupMeters() {
        return List.of(
                counter("weir.consumer.commits", "commits", "Commits that succeeded.", look -> look.dump.commits()),
                counter(
                        "weir.consumer.commits.failed",
                        "commits",
                        "Commits that failed; each is retried.",
                        look -> look.dump.failedCommits()),
                gauge(
                        "weir.consumer.commit.age.seconds",
                        "seconds",
                        "Time since the last commit of any partition; no value before the first.",
                        ConsumerLook::commitAgeSeconds),
                gauge(
                        "weir.consumer.poll.age.seconds",
                        "seconds",
                        "Time since the client was last polled.",
                        look -> seconds(look.dump.sinceLastPoll())),
                gauge(
                        "weir.consumer.silent.seconds",
                        "seconds",
                        "If the brokers have stopped answering, the time since the last answer; otherwise 0.",
                        ConsumerLook::silentSeconds),
                gauge(
                        "weir.consumer.partitions",
                        "partitions",
                        "Assigned partitions.",
                        look -> look.dump.partitions().size()),
                counter(
                        "weir.consumer.assignments",
                        "times",
                        "How often partitions were assigned.",
                        look -> look.dump.assignments()),
                counter(
                        "weir.consumer.rebalances",
                        "times",
                        "How often partitions were revoked or lost.",
                        look -> look.dump.rebalances()),
                counter(
                        "weir.consumer.decode.seconds",
                        "seconds",
                        "Time that the decoder of `decodedBy` took on the fetch threads, estimated from samples.",
                        look -> look.dump.decodeNanos() / NANOS));
    }

    private static MeterSpec<ConsumerLook> pausedMeter(Paused reason) {
        return MeterSpec.<ConsumerLook>gauge(
                        "weir.consumer.paused",
                        "partitions",
                        "Paused partitions by reason; a partition may have several reasons.",
                        look -> look.paused(reason))
                .tagged(REASON_TAG, reason.name().toLowerCase(Locale.ROOT));
    }

    private static double oldestSeconds(PartitionDump partition) {
        Oldest oldest = partition.oldest();
        return oldest == null ? 0 : seconds(oldest.age());
    }

    private static double seconds(@Nullable Duration time) {
        return time == null ? Double.NaN : time.toNanos() / NANOS;
    }
}
