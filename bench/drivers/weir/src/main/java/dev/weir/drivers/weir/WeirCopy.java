package dev.weir.drivers.weir;

import dev.weir.driver.Driver;
import dev.weir.driver.Feature;
import dev.weir.driver.Pass;
import dev.weir.driver.Scenario;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducePath;
import dev.weir.kafka.ProducerSettings;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Source;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Copies a topic at least once, with {@code KafkaSource.atLeastOnce} and {@code KafkaSink.records}, or exactly once,
 * with {@code KafkaSource.exactlyOnce}. The steps run in {@code map} or {@code mapParallel} between source and sink.
 * Confined to the main thread.
 */
final class WeirCopy implements Driver {
    private static final Duration DRAIN = Duration.ofSeconds(20);

    private final Map<String, String> preset;
    private final FetchPath fetch;
    private final int fetchThreads;
    private final ProducePath produce;
    private final boolean isParallel;

    /**
     * Creates a driver.
     *
     * @param isParallel whether the steps run on as many threads as there are processors
     */
    WeirCopy(Map<String, String> preset, FetchPath fetch, int fetchThreads, ProducePath produce, boolean isParallel) {
        this.preset = preset;
        this.fetch = fetch;
        this.fetchThreads = fetchThreads;
        this.produce = produce;
        this.isParallel = isParallel;
    }

    @Override
    public Set<Scenario> scenarios() {
        return Set.of(Scenario.COPY);
    }

    @Override
    public Set<Feature> features() {
        return produce == ProducePath.CLIENT ? Set.of(Feature.EXACTLY_ONCE) : Set.of();
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
        Duration interval = Duration.ofMillis(pass.options().commitIntervalMillis());
        ConsumerSettings.Builder<byte[], byte[]> consumer = ConsumerSettings.builder()
                .fetch(fetch)
                .fetchThreads(fetchThreads)
                .commitInterval(interval)
                .commitRecords(Integer.MAX_VALUE);
        pass.clientConfig().consumerOfLibrary(preset).forEach(consumer::property);
        ProducerSettings.Builder<byte[], byte[]> producer =
                ProducerSettings.builder().produce(produce);
        Map<String, String> writing = pass.clientConfig().producer(Map.of());
        if (produce == ProducePath.LEAN) {
            // Workloads set this property for both clients, but a lean producer would refuse it.
            writing.remove("receive.buffer.bytes");
        }
        writing.forEach(producer::property);
        String topic = pass.configuration().topic();
        return pass.options().isExactlyOnce()
                ? KafkaSource.from(consumer.build(), topic)
                        .exactlyOnce()
                        .commitInterval(interval)
                        .commitRecords(Integer.MAX_VALUE)
                        .produceTo(producer.build(), records -> copied(records, pass))
                : copied(KafkaSource.from(consumer.build(), topic).atLeastOnce(), pass)
                        .to(KafkaSink.with(producer.build()).records());
    }

    private Source<ProducerRecord<byte[], byte[]>> copied(Source<ConsumerRecord<byte[], byte[]>> records, Pass pass) {
        String output = pass.outputTopic();
        return isParallel
                ? records.mapParallel(Runtime.getRuntime().availableProcessors(), record -> copy(record, output, pass))
                : records.map(record -> copy(record, output, pass));
    }

    private static ProducerRecord<byte[], byte[]> copy(
            ConsumerRecord<byte[], byte[]> record, String output, Pass pass) {
        return new ProducerRecord<>(output, record.partition(), record.key(), pass.step(record.value()));
    }
}
