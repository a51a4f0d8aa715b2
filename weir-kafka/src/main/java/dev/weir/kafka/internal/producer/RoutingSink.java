package dev.weir.kafka.internal.producer;

import dev.weir.kafka.DeadLetters;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.internal.failure.Forwarder;
import dev.weir.kafka.internal.failure.Outcome;
import dev.weir.stream.spi.SinkFactory;
import dev.weir.stream.spi.SinkLoop;
import dev.weir.stream.spi.StageContext;
import java.util.Objects;
import java.util.function.Function;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/** Makes the running form of a producing sink that sends what cannot be written to a dead-letter topic, if there is one. */
public final class RoutingSink<R, K, V> implements SinkFactory<Outcome.Done<R>> {

    private final ProducerSettings<K, V> settings;
    private final Function<? super Outcome.Done<R>, ProducerRecord<K, V>> records;
    private final @Nullable DeadLetters letters;

    public RoutingSink(
            ProducerSettings<K, V> settings,
            Function<? super Outcome.Done<R>, ProducerRecord<K, V>> records,
            @Nullable DeadLetters letters) {
        this.settings = Objects.requireNonNull(settings, "settings");
        this.records = records;
        this.letters = letters;
    }

    @Override
    public SinkLoop<Outcome.Done<R>> create(StageContext context) {
        Rejects<Outcome.Done<R>> rejects =
                letters == null ? null : new Rejects<>(Forwarder.create(letters, context), Outcome.Done::unwritable);
        return ProducerSink.<Outcome.Done<R>, K, V>create(settings, context, records, rejects);
    }
}
