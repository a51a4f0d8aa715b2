package dev.weir.drivers.weir;

import dev.weir.driver.Pacer;
import dev.weir.driver.Pass;
import dev.weir.driver.SendPlan;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.ProducerSettings;
import dev.weir.stream.Attributes;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.Pipeline;
import dev.weir.stream.Source;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * A source of generated records, which also receives the acknowledgements of these records. Confined to the source's
 * thread, except that acknowledgements arrive on the producer's only thread.
 */
final class GeneratedRecords implements Stage<ProducerRecord<byte[], byte[]>>, AckTarget {
    private final Pass pass;
    private final Pacer pacer;
    private long next;

    /** The size of the last batch, used as the initial capacity of the next batch. */
    private int lastSize;

    private GeneratedRecords(Pass pass) {
        this.pass = pass;
        this.pacer = pass.pacer();
    }

    static Pipeline producing(Pass pass) {
        ProducerSettings.Builder<byte[], byte[]> settings = ProducerSettings.builder();
        pass.clientConfig().producer(Map.of()).forEach(settings::property);
        KafkaSink<byte[], byte[]> sink = KafkaSink.with(settings.build());
        if (pass.configuration().options().containsKey(SendPlan.START)) {
            // The generator has its own platform thread. It waits for the next record thousands of times per second,
            // and a virtual thread would need two wake-ups per wait.
            sink = sink.attributes(Attributes.NONE.withDispatcher(Dispatcher.single("generator")));
        }
        return Source.<ProducerRecord<byte[], byte[]>>custom("generate", context -> new GeneratedRecords(pass))
                .to(sink.records());
    }

    @Override
    public @Nullable Batch<ProducerRecord<byte[], byte[]>> pull(long deadlineNanos) {
        boolean due = pacer.await(deadlineNanos);
        int most = (int) Math.min(Batch.DEFAULT_CAPACITY, pass.wanted() - next);
        if (most <= 0 || pass.isDone()) {
            return null;
        }
        int partitions = pass.configuration().partitions();
        Batch<ProducerRecord<byte[], byte[]>> records = new Batch<>(due ? lastSize : 0);
        for (; due && records.size() < most && pacer.isDue(); next++) {
            int partition = (int) (next % partitions);
            long ticket = pacer.next(partition);
            records.add(
                    new ProducerRecord<>(pass.configuration().topic(), partition, null, pass.value(next / partitions)),
                    this,
                    ticket);
        }
        lastSize = records.size();
        return records;
    }

    @Override
    public void ack(long ticket) {
        pass.acknowledged(ticket, pass.configuration().valueBytes());
    }

    @Override
    public void retain(long token, int count) {
        throw new UnsupportedOperationException("one record in, one record out");
    }

    @Override
    public void close() {}
}
