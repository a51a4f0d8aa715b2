package dev.weir.examples.asimov;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducerSettings;
import dev.weir.stream.Pipeline;
import dev.weir.stream.Source;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * The application. It reads events from a topic, translates them in the four steps of {@link AsimovTranslator}, and
 * writes them to a topic of page views or to the dead-letter topic. Delivery is at least once, in order within each
 * session. Stateless.
 *
 * <p>Each step runs on as many threads as there are processors, and has its own name in
 * {@link dev.weir.stream.RunningPipeline#stages}. The order per session is kept, because all steps keep the order of
 * their input and all records are keyed by session.
 */
public final class AsimovPipeline {
    /** The topic of events, in JSON. */
    public static final String EVENTS = "events";
    /** The topic of page views, in Protobuf. */
    public static final String PAGE_VIEWS = "page-views";
    /** The topic of events that could not be translated. They are unchanged. */
    public static final String DEAD_LETTERS = "dead-letters";

    private AsimovPipeline() {}

    /**
     * Returns the pipeline's blueprint.
     *
     * @param onMalformed called for each dead-letter record before it is produced, by one thread at a time; must not
     *     block
     */
    public static Pipeline of(
            ConsumerSettings<byte[], byte[]> consumer,
            ProducerSettings<byte[], byte[]> producer,
            Consumer<? super Malformed> onMalformed) {
        return of(new AsimovTranslator(), Runtime.getRuntime().availableProcessors(), consumer, producer, onMalformed);
    }

    /**
     * Returns the same pipeline with other steps, for comparisons.
     *
     * @param threads number of threads of each step, at least 1
     * @param onMalformed called for each dead-letter record before it is produced, by one thread at a time; must not
     *     block
     */
    public static Pipeline of(
            AsimovSteps asimov,
            int threads,
            ConsumerSettings<byte[], byte[]> consumer,
            ProducerSettings<byte[], byte[]> producer,
            Consumer<? super Malformed> onMalformed) {
        return ended(
                KafkaSource.from(consumer, EVENTS)
                        .atLeastOnce()
                        .mapParallel(threads, record -> new Tracked<>(record, asimov.parseJson(record.value())))
                        .named("parse JSON")
                        .mapParallel(threads, event -> event.with(asimov.parseUrl(event.value())))
                        .named("parse URL")
                        .mapParallel(threads, event -> event.with(asimov.decompress(event.value())))
                        .named("decompress")
                        .mapParallel(threads, event -> event.with(asimov.encode(event.value())))
                        .named("encode"),
                producer,
                onMalformed);
    }

    /**
     * Returns the same pipeline with a given number of threads for some of the steps, for comparisons.
     *
     * @param threads number of threads by step, at least 1; a step without a number shares a thread with adjacent steps
     * @param onMalformed called for each dead-letter record before it is produced, by one thread at a time; must not
     *     block
     */
    public static Pipeline of(
            AsimovSteps asimov,
            Map<String, Integer> threads,
            ConsumerSettings<byte[], byte[]> consumer,
            ProducerSettings<byte[], byte[]> producer,
            Consumer<? super Malformed> onMalformed) {
        return ended(
                translated(asimov, threads, KafkaSource.from(consumer, EVENTS).atLeastOnce()), producer, onMalformed);
    }

    static Source<Tracked<Translation>> translated(
            AsimovSteps asimov, Map<String, Integer> threads, Source<ConsumerRecord<byte[], byte[]>> events) {
        var parsed =
                step(events, "parse JSON", threads, record -> new Tracked<>(record, asimov.parseJson(record.value())));
        var located = step(parsed, "parse URL", threads, event -> event.with(asimov.parseUrl(event.value())));
        var unpacked = step(located, "decompress", threads, event -> event.with(asimov.decompress(event.value())));
        return step(unpacked, "encode", threads, event -> event.with(asimov.encode(event.value())));
    }

    private static <T, R> Source<R> step(
            Source<T> input, String name, Map<String, Integer> threads, Function<T, R> function) {
        Integer own = threads.get(name);
        return (own == null ? input.map(function) : input.mapParallel(own, function::apply)).named(name);
    }

    static Pipeline ended(
            Source<Tracked<Translation>> translated,
            ProducerSettings<byte[], byte[]> producer,
            Consumer<? super Malformed> onMalformed) {
        return translated
                .map(event -> routed(event, onMalformed))
                .named("route")
                .to(KafkaSink.with(producer).records())
                .named("asimov");
    }

    private static ProducerRecord<byte[], byte[]> routed(
            Tracked<Translation> event, Consumer<? super Malformed> onMalformed) {
        if (event.value() instanceof Malformed malformed) {
            onMalformed.accept(malformed);
        }
        return AsimovRecords.toProduce(event.source(), event.value(), PAGE_VIEWS, DEAD_LETTERS);
    }
}
