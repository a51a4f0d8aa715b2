package dev.weir.drivers.weir;

import dev.weir.driver.Driver;
import dev.weir.driver.Failures;
import dev.weir.driver.Feature;
import dev.weir.driver.HandlerWork;
import dev.weir.driver.Pass;
import dev.weir.driver.Scenario;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducePath;
import dev.weir.kafka.RecordOrdering;
import dev.weir.kafka.Subscription;
import dev.weir.lean.RecordView;
import dev.weir.stream.Backoff;
import dev.weir.stream.Ordering;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RetryPolicy;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A pipeline from {@code KafkaSource.plain}, {@code atLeastOnce} or {@code atMostOnce} to {@code Sink.forEach}. If a
 * scenario has work, {@code mapBlocking} is between them; if the work can fail, the pipeline is a {@code KafkaFlow}
 * with {@code retry}. Confined to the main thread.
 */
final class WeirDriver implements Driver {
    private static final Duration DRAIN = Duration.ofSeconds(20);

    private final Map<String, String> preset;
    private final FetchPath fetch;
    private final int fetchThreads;
    private final boolean copiesRecords;

    WeirDriver(Map<String, String> preset, FetchPath fetch) {
        this(preset, fetch, 1, fetch != FetchPath.LEAN);
    }

    WeirDriver(Map<String, String> preset, FetchPath fetch, int fetchThreads) {
        this(preset, fetch, fetchThreads, fetch != FetchPath.LEAN);
    }

    /**
     * Creates a driver with these client properties.
     *
     * @param copiesRecords true to copy each record's key and value, as other libraries do; false to read records of an
     *     at-least-once source in the fetch-response buffer
     */
    WeirDriver(Map<String, String> preset, FetchPath fetch, int fetchThreads, boolean copiesRecords) {
        this.copiesRecords = copiesRecords;
        this.preset = preset;
        this.fetch = fetch;
        this.fetchThreads = fetchThreads;
    }

    @Override
    public Set<Scenario> scenarios() {
        return Set.of(
                Scenario.CONSUME,
                Scenario.STEADY,
                Scenario.AT_LEAST_ONCE,
                Scenario.AT_MOST_ONCE,
                Scenario.WORK,
                Scenario.FLOW_CONTROL,
                Scenario.COPY,
                Scenario.PRODUCE);
    }

    @Override
    public Set<Feature> features() {
        return Set.of(Feature.RETRIES, Feature.EXACTLY_ONCE, Feature.TOPICS);
    }

    private static Pipeline working(ConsumerSettings<byte[], byte[]> settings, Subscription topic, Pass pass) {
        HandlerWork work = pass.work();
        Ordering<ConsumerRecord<byte[], byte[]>> ordering =
                switch (pass.options().ordering()) {
                    case PARTITION -> RecordOrdering.byPartition();
                    case KEY -> RecordOrdering.byKey();
                    case NONE -> Ordering.unordered();
                };
        if (pass.options().hasFailures()) {
            Duration wait = Duration.ofMillis(pass.options().retryMillis());
            return KafkaFlow.from(settings, topic)
                    .forEach(pass.options().concurrency(), ordering, record -> handle(record, work, pass))
                    .retry(RetryPolicy.of(
                            1 + Failures.MOST, Backoff.between(wait, wait).withJitter(0)))
                    .pipeline();
        }
        return KafkaSource.from(settings, topic)
                .atLeastOnce()
                .mapBlocking(pass.options().concurrency(), ordering, record -> {
                    handle(record, work, pass);
                    return record;
                })
                .to(Sink.ignore());
    }

    private static void handle(ConsumerRecord<byte[], byte[]> record, HandlerWork work, Pass pass) {
        work.on(record.value());
        int partition = pass.topics().number(record.topic(), record.partition());
        pass.attempted(partition, record.value());
        pass.deliveredConcurrently(partition, record.key(), record.value());
    }

    @Override
    public void run(Pass pass) throws Exception {
        if (pass.configuration().scenario() == Scenario.COPY) {
            new WeirCopy(preset, fetch, fetchThreads, ProducePath.CLIENT, false).run(pass);
            return;
        }
        OneAtATime oneAtATime = new OneAtATime(pass);
        try (RunningPipeline run = pipeline(pass, oneAtATime).run()) {
            if (pass.configuration().scenario() == Scenario.FLOW_CONTROL) {
                oneAtATime.steer(run);
            }
            pass.failsWith(run.completion());
            pass.awaitDone();
            run.drain(DRAIN);
        }
    }

    private Pipeline pipeline(Pass pass, OneAtATime oneAtATime) {
        if (pass.configuration().scenario() == Scenario.PRODUCE) {
            return GeneratedRecords.producing(pass);
        }
        ConsumerSettings.Builder<byte[], byte[]> builder = ConsumerSettings.builder()
                .fetch(fetch)
                .fetchThreads(fetchThreads)
                .commitInterval(Duration.ofMillis(pass.options().commitIntervalMillis()))
                .commitRecords(Integer.MAX_VALUE);
        pass.clientConfig().consumerOfLibrary(preset).forEach(builder::property);
        ConsumerSettings<byte[], byte[]> settings = builder.build();
        Subscription topic = Subscription.topics(pass.topics().names());
        return switch (pass.configuration().scenario()) {
            case CONSUME, STEADY -> delivering(KafkaSource.from(settings, topic).plain(), pass);
            case AT_LEAST_ONCE ->
                copiesRecords
                        ? delivering(KafkaSource.from(settings, topic).atLeastOnce(), pass)
                        : KafkaSource.from(settings, topic)
                                .decodedBy(record -> Seen.of(record, pass))
                                .atLeastOnce()
                                .to(Sink.forEach(seen -> seen.tell(pass)));
            case AT_MOST_ONCE ->
                delivering(
                        KafkaSource.from(settings, topic)
                                .atMostOnce(pass.options().commitAhead()),
                        pass);
            case WORK -> working(settings, topic, pass);
            case FLOW_CONTROL -> KafkaSource.from(settings, topic).plain().to(Sink.forEach(oneAtATime::handle));
            default ->
                throw new IllegalArgumentException(
                        "not offered: " + pass.configuration().scenario());
        };
    }

    /** The parts of a record that a handler needs, read from the fetch-response buffer. */
    private record Seen(int partition, long number, long plannedNanos, int valueBytes) {

        static Seen of(RecordView record, Pass pass) {
            return new Seen(
                    pass.topics().number(record.topic(), record.partition()),
                    record.value().getLong(0),
                    record.value().getLong(Long.BYTES),
                    record.value().length());
        }

        void tell(Pass pass) {
            pass.delivered(partition, number, plannedNanos, valueBytes);
        }
    }

    private static Pipeline delivering(Source<ConsumerRecord<byte[], byte[]>> records, Pass pass) {
        return records.to(Sink.forEach(
                record -> pass.delivered(pass.topics().number(record.topic(), record.partition()), record.value())));
    }
}
