package dev.weir.examples.asimov;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducerSettings;

/** The sample of this example's README, compiled but not run. Stateless. */
final class ReadmeSample {

    private ReadmeSample() {}

    static void run(
            ConsumerSettings<byte[], byte[]> consumer,
            ProducerSettings<byte[], byte[]> producer,
            AsimovSteps asimov,
            int cores) {
        KafkaSource.from(consumer, "events")
                .atLeastOnce()
                .mapParallel(cores, record -> new Tracked<>(record, asimov.parseJson(record.value())))
                .named("parse JSON")
                .mapParallel(cores, event -> event.with(asimov.parseUrl(event.value())))
                .named("parse URL")
                .mapParallel(cores, event -> event.with(asimov.decompress(event.value())))
                .named("decompress")
                .mapParallel(cores, event -> event.with(asimov.encode(event.value())))
                .named("encode")
                .map(event -> AsimovRecords.toProduce(event.source(), event.value(), "page-views", "dead-letters"))
                .to(KafkaSink.with(producer).records())
                .run();
    }
}
