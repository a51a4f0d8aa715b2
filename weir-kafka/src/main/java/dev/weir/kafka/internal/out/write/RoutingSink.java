package dev.weir.kafka.internal.out.write;

import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.internal.handler.HandlerOutcome;
import dev.weir.kafka.produce.WriteFailures;
import dev.weir.stream.spi.SinkFactory;
import dev.weir.stream.spi.SinkLoop;
import dev.weir.stream.spi.StageContext;
import java.util.Objects;
import java.util.function.Function;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Creates the loop of a sink that writes the results of handlers. */
public final class RoutingSink<R, K, V> implements SinkFactory<HandlerOutcome.Done<R>> {

    private final ProducerSettings<K, V> settings;
    private final Function<? super HandlerOutcome.Done<R>, ProducerRecord<K, V>> records;
    private final WriteFailures failures;

    public RoutingSink(
            ProducerSettings<K, V> settings,
            Function<? super HandlerOutcome.Done<R>, ProducerRecord<K, V>> records,
            WriteFailures failures) {
        this.settings = Objects.requireNonNull(settings, "settings");
        this.records = records;
        this.failures = failures;
    }

    @Override
    public SinkLoop<HandlerOutcome.Done<R>> create(StageContext context) {
        WriteRule<HandlerOutcome.Done<R>> rule =
                WriteRule.of(failures, context, (done, refusal, place) -> done.unwritable(refusal));
        return ProducerSink.<HandlerOutcome.Done<R>, K, V>create(settings, context, records, rule, 0);
    }
}
