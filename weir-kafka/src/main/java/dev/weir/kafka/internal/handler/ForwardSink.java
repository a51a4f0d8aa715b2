package dev.weir.kafka.internal.handler;

import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.deadletter.FailedRecord;
import dev.weir.kafka.internal.out.client.WriteLoop;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.SinkFactory;
import dev.weir.stream.spi.SinkLoop;
import dev.weir.stream.spi.StageContext;
import java.util.List;

/** Creates the runtime objects of a sink for failed records, with one producer per run. */
public final class ForwardSink implements SinkFactory<FailedRecord> {

    private final ProducerSettings<byte[], byte[]> settings;
    private final List<String> topics;
    private final FailureRoute route;

    public ForwardSink(ProducerSettings<byte[], byte[]> settings, List<String> topics, FailureRoute route) {
        this.settings = settings;
        this.topics = topics;
        this.route = route;
    }

    @Override
    public SinkLoop<FailedRecord> create(StageContext context) {
        FailedRecordForwarder forwarder = FailedRecordForwarder.create(settings, topics, route, context);
        return new WriteLoop<>(context.meter()) {
            @Override
            protected void send(Batch<FailedRecord> batch) throws InterruptedException {
                forwarder.deliver(batch);
                context.meter().out(batch.size());
            }
        };
    }
}
