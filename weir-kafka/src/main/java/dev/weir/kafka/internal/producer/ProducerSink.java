package dev.weir.kafka.internal.producer;

import dev.weir.kafka.ProducerSettings;
import dev.weir.stream.spi.SinkFactory;
import dev.weir.stream.spi.SinkLoop;
import dev.weir.stream.spi.StageContext;
import java.util.Objects;
import java.util.function.Function;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Makes the running form of a producing sink, with a producer that lives as long as the run. */
public final class ProducerSink<K, V> implements SinkFactory<ProducerRecord<K, V>> {

    private final ProducerSettings<K, V> settings;

    public ProducerSink(ProducerSettings<K, V> settings) {
        this.settings = Objects.requireNonNull(settings, "settings");
    }

    @Override
    public SinkLoop<ProducerRecord<K, V>> create(StageContext context) {
        Producer<K, V> producer =
                ProducerOrigin.open(settings.clientConfig(), settings.keySerializer(), settings.valueSerializer());
        ProducerLoop<ProducerRecord<K, V>, K, V> loop =
                new ProducerLoop<>(producer, context, Function.identity(), null);
        context.onTermination(loop::close);
        return loop;
    }
}
