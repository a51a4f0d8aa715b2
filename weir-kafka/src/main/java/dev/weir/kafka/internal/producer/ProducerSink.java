package dev.weir.kafka.internal.producer;

import dev.weir.kafka.ProducerSettings;
import dev.weir.stream.spi.SinkFactory;
import dev.weir.stream.spi.SinkLoop;
import dev.weir.stream.spi.StageContext;
import java.util.Objects;
import java.util.function.Function;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/** Makes the running form of a producing sink, with a producer that lives as long as the run. */
public final class ProducerSink<K, V> implements SinkFactory<ProducerRecord<K, V>> {

    private final ProducerSettings<K, V> settings;

    public ProducerSink(ProducerSettings<K, V> settings) {
        this.settings = Objects.requireNonNull(settings, "settings");
    }

    @Override
    public SinkLoop<ProducerRecord<K, V>> create(StageContext context) {
        return create(settings, context, Function.identity(), null);
    }

    /** Makes a loop that is closed with the run, as everything that it needs. */
    static <T, K, V> SinkLoop<T> create(
            ProducerSettings<K, V> settings,
            StageContext context,
            Function<? super T, ProducerRecord<K, V>> records,
            @Nullable Rejects<T> rejects) {
        Producers<K, V> producers = new Producers<>(settings);
        OutputTopics topics = OutputTopics.create(settings.clientConfig(), context);
        ProducerLoop<T, K, V> loop =
                new ProducerLoop<>(producers, context, records, rejects, producers.firstRecords(), topics);
        topics.eachLook(loop::checkSplits);
        context.expose(loop.handle());
        context.onTermination(patience -> {
            String left = loop.close(patience);
            producers.close();
            return left;
        });
        return loop;
    }
}
