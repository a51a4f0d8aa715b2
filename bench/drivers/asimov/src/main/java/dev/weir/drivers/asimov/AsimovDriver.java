package dev.weir.drivers.asimov;

import dev.weir.driver.Driver;
import dev.weir.driver.Pass;
import dev.weir.driver.Scenario;
import dev.weir.examples.asimov.AsimovRecords;
import dev.weir.examples.asimov.AsimovTranslator;
import dev.weir.examples.asimov.Locating;
import dev.weir.examples.asimov.Parsing;
import dev.weir.examples.asimov.Translation;
import dev.weir.examples.asimov.Unpacking;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.Subscription;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Source;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Runs the pipeline of the Asimov example on the threads of one {@link Shape}. The steps are parse, locate, decompress,
 * encode and produce. Page views and dead-letter records go to one topic. An event counts as delivered when it is
 * translated. Confined to the main thread.
 */
final class AsimovDriver implements Driver {
    private static final Duration DRAIN = Duration.ofSeconds(20);

    private final AsimovTranslator asimov = new AsimovTranslator();
    private final Shape shape;

    AsimovDriver(Shape shape) {
        this.shape = shape;
    }

    /** A source record with the result of the latest step. */
    private record Tracked<V>(ConsumerRecord<byte[], byte[]> source, V value) {
        <R> Tracked<R> with(R next) {
            return new Tracked<>(source, next);
        }
    }

    @Override
    public Set<Scenario> scenarios() {
        return Set.of(Scenario.PIPELINE);
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
                .commitInterval(Duration.ofMillis(pass.options().commitIntervalMillis()))
                .commitRecords(Integer.MAX_VALUE);
        pass.clientConfig().consumerOfLibrary(Map.of()).forEach(consumer::property);
        ProducerSettings.Builder<byte[], byte[]> producer = ProducerSettings.builder();
        pass.clientConfig().connection().forEach(producer::property);
        String output = pass.outputTopic();
        return translated(KafkaSource.from(
                                consumer.build(),
                                Subscription.topics(pass.configuration().topic()))
                        .atLeastOnce())
                .map(event -> {
                    pass.delivered(
                            event.source().partition(),
                            event.source().offset(),
                            0,
                            event.source().value().length);
                    return AsimovRecords.toProduce(event.source(), event.value(), output, output);
                })
                .to(KafkaSink.with(producer.build()).records());
    }

    private Source<Tracked<Translation>> translated(Source<ConsumerRecord<byte[], byte[]>> records) {
        Source<Tracked<Parsing>> parsed =
                shape.step(records, "parse-json", record -> new Tracked<>(record, asimov.parseJson(record.value())));
        Source<Tracked<Locating>> located =
                shape.step(parsed, "parse-url", event -> event.with(asimov.parseUrl(event.value())));
        Source<Tracked<Unpacking>> unpacked =
                shape.step(shape.halfWay(located), "decompress", event -> event.with(asimov.decompress(event.value())));
        return shape.step(unpacked, "encode", event -> event.with(asimov.encode(event.value())));
    }
}
