package dev.weir.kafka.internal.out.write;

import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.internal.out.client.ClientWatch;
import dev.weir.kafka.produce.WriteFailures;
import dev.weir.stream.spi.SinkFactory;
import dev.weir.stream.spi.SinkLoop;
import dev.weir.stream.spi.StageContext;
import java.util.Objects;
import java.util.function.Function;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Creates the loop of a producing sink, with a producer that is closed when the run ends. */
public final class ProducerSink<K, V> implements SinkFactory<ProducerRecord<K, V>> {

    private final ProducerSettings<K, V> settings;
    private final WriteFailures failures;
    private final int maxInFlight;

    /**
     * Creates a sink.
     *
     * @param maxInFlight maximum number of records in flight; 0 if only the producer's memory limits them
     */
    public ProducerSink(ProducerSettings<K, V> settings, WriteFailures failures, int maxInFlight) {
        this.settings = Objects.requireNonNull(settings, "settings");
        this.failures = failures;
        this.maxInFlight = maxInFlight;
    }

    @Override
    public SinkLoop<ProducerRecord<K, V>> create(StageContext context) {
        WriteRule<ProducerRecord<K, V>> rule = WriteRule.ofRecords(failures, context, settings);
        return create(settings, context, Function.identity(), rule, maxInFlight);
    }

    /** Creates a loop. The end of the run closes the loop and its producers. */
    static <T, K, V> SinkLoop<T> create(
            ProducerSettings<K, V> settings,
            StageContext context,
            Function<? super T, ProducerRecord<K, V>> records,
            WriteRule<T> rule,
            int maxInFlight) {
        RunProducers<K, V> producers = new RunProducers<>(settings);
        OutputTopics topics = OutputTopics.create(settings.clientConfig(), context);
        OrderedWriter.Clients<K, V> clients = producers.clients();
        ProducerLoop<T, K, V> loop = new ProducerLoop<>(clients, context, records, rule, topics, maxInFlight);
        ClientWatch.begin(settings.clientConfig(), clients.progress(), context, loop.writer::look);
        context.exposeResource(loop.writer.handle());
        ProducerRunLog.follow(settings.produce(), context, patience -> {
            String left = loop.close(patience);
            producers.close();
            return left;
        });
        return loop;
    }
}
