package dev.weir.drivers.weir;

import dev.weir.driver.Driver;
import dev.weir.driver.Pass;
import dev.weir.driver.Scenario;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducePath;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.view.EncodedRecords;
import dev.weir.kafka.view.RecordViews;
import dev.weir.kafka.view.ViewEncoder;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Source;
import java.time.Duration;
import java.util.Map;
import java.util.Set;

/**
 * A copy from {@code KafkaSource.views} to {@code KafkaSink.encoded}, at least once, with {@code map} or
 * {@code mapParallel} between them. It creates no object per record. Confined to the main thread.
 */
final class WeirViewsCopy implements Driver {
    private static final Duration DRAIN = Duration.ofSeconds(20);

    private final int workers;

    /**
     * Creates a driver.
     *
     * @param workers number of threads that run the steps; 0 to run them on the thread of the downstream stage
     */
    WeirViewsCopy(int workers) {
        this.workers = workers;
    }

    @Override
    public Set<Scenario> scenarios() {
        return Set.of(Scenario.COPY);
    }

    @Override
    public void run(Pass pass) throws Exception {
        try (RunningPipeline run = pipeline(pass).run()) {
            pass.failsWith(run.completion());
            pass.awaitDone();
            run.drain(DRAIN);
        }
    }

    private Pipeline pipeline(Pass pass) {
        ConsumerSettings.Builder<byte[], byte[]> consumer = ConsumerSettings.builder()
                .fetch(FetchPath.LEAN)
                .commitInterval(Duration.ofMillis(pass.options().commitIntervalMillis()))
                .commitRecords(Integer.MAX_VALUE);
        pass.clientConfig().consumerOfLibrary(Map.of()).forEach(consumer::property);
        ProducerSettings.Builder<byte[], byte[]> producer =
                ProducerSettings.builder().produce(ProducePath.LEAN);
        Map<String, String> writing = pass.clientConfig().producer(Map.of());
        // Workloads set this property for both clients, but it is meant for the consumer.
        writing.remove("receive.buffer.bytes");
        writing.forEach(producer::property);
        String output = pass.outputTopic();
        ViewEncoder copy = (record, out) -> {
            pass.step(record.value().getLong(0));
            out.send(out.record(output)
                    .partition(record.partition())
                    .key(record.key())
                    .value(record.value()));
        };
        Source<RecordViews> views =
                KafkaSource.from(consumer.build(), pass.configuration().topic()).views();
        Source<EncodedRecords> encoded = workers == 0
                ? views.map(each -> each.encode(copy))
                : views.mapParallel(workers, each -> each.encode(copy));
        return encoded.to(KafkaSink.with(producer.build()).encoded());
    }
}
