package dev.weir.drivers.weir;

import dev.weir.driver.Driver;
import dev.weir.driver.Pass;
import dev.weir.driver.Scenario;
import dev.weir.driver.Work;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.RecordOrdering;
import dev.weir.stream.Ordering;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A pipeline from {@code KafkaSource.committable} to {@code Sink.forEach}. Weir has no source that never commits yet:
 * where nothing is to be committed, it is told to commit after ten minutes. Confined to the main thread.
 */
final class WeirDriver implements Driver {
    private static final Duration NEVER = Duration.ofMinutes(10);
    private static final Duration DRAIN = Duration.ofSeconds(20);

    private final Map<String, String> preset;

    WeirDriver(Map<String, String> preset) {
        this.preset = preset;
    }

    @Override
    public Set<Scenario> scenarios() {
        return Set.of(Scenario.CONSUME, Scenario.AT_LEAST_ONCE, Scenario.WORK);
    }

    private static Pipeline working(Source<ConsumerRecord<byte[], byte[]>> records, Pass pass) {
        Work work = Work.of(pass.options());
        Ordering<ConsumerRecord<byte[], byte[]>> ordering = switch (pass.ordering()) {
            case PARTITION -> RecordOrdering.byPartition();
            case KEY -> RecordOrdering.byKey();
            case NONE -> Ordering.unordered();
        };
        return records.mapBlocking(pass.concurrency(), ordering, record -> {
                    work.on(record.value());
                    pass.deliveredConcurrently(record.partition(), record.value());
                    return record;
                })
                .to(Sink.ignore());
    }

    @Override
    public void run(Pass pass) throws Exception {
        boolean commits = pass.configuration().scenario() != Scenario.CONSUME;
        ConsumerSettings.Builder<byte[], byte[]> settings = ConsumerSettings.builder()
                .commitInterval(commits ? Duration.ofMillis(pass.commitIntervalMillis()) : NEVER)
                .commitRecords(Integer.MAX_VALUE);
        pass.consumerConfig(preset).forEach(settings::property);
        Source<ConsumerRecord<byte[], byte[]>> records =
                KafkaSource.committable(settings.build(), pass.configuration().topic());
        Pipeline pipeline = pass.configuration().scenario() == Scenario.WORK
                ? working(records, pass)
                : records.to(Sink.forEach(record -> pass.delivered(record.partition(), record.value())));
        try (RunningPipeline run = pipeline.run()) {
            pass.failsWith(run.completion());
            pass.awaitDone();
            run.drain(DRAIN);
        }
    }
}
