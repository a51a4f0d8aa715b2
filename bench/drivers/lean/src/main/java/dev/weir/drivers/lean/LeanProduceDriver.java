package dev.weir.drivers.lean;

import dev.weir.driver.Driver;
import dev.weir.driver.Pacer;
import dev.weir.driver.Pass;
import dev.weir.driver.Scenario;
import dev.weir.lean.LeanProducer;
import dev.weir.lean.LeanProducerSettings;
import dev.weir.lean.LeanRecord;
import dev.weir.lean.RecordEncoder;
import dev.weir.lean.SendException;
import dev.weir.lean.SendListener;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.Set;

/**
 * Runs {@code LeanProducer} in a loop, with its default settings. An encoder writes each value directly into its batch,
 * and all records share one {@code LeanRecord}. Confined to the main thread; acknowledgements arrive on the producer's
 * thread.
 */
final class LeanProduceDriver implements Driver {

    /** The flush timeout, longer than any pass. */
    private static final Duration FLUSH = Duration.ofHours(1);

    @Override
    public Set<Scenario> scenarios() {
        return Set.of(Scenario.PRODUCE);
    }

    @Override
    public void run(Pass pass) throws InterruptedException {
        LeanProducerSettings.Builder settings = LeanProducerSettings.builder();
        pass.clientConfig().producer(Map.of()).forEach(settings::property);
        try (LeanProducer producer = LeanProducer.open(settings.build(), acknowledging(pass))) {
            send(producer, pass);
            var ignored = producer.flush(FLUSH);
            pass.awaitDone();
        }
    }

    private static SendListener acknowledging(Pass pass) {
        int valueBytes = pass.configuration().valueBytes();
        return new SendListener() {
            @Override
            public void acknowledged(long ticket, String topic, int partition, long offset) {
                if (ticket == 0) {
                    pass.acknowledged(valueBytes);
                } else {
                    pass.acknowledged(ticket, valueBytes);
                }
            }

            @Override
            public void failed(long ticket, SendException why) {
                pass.fail(why);
            }
        };
    }

    private static void send(LeanProducer producer, Pass pass) throws InterruptedException {
        int partitions = pass.configuration().partitions();
        Pacer pacer = pass.pacer();
        LeanRecord record = new LeanRecord(pass.configuration().topic());
        Values values = new Values(pass.configuration().valueBytes());
        for (long i = 0; i < pass.wanted() && !pass.isDone(); i++) {
            int partition = (int) (i % partitions);
            long ticket = pacer.next(partition);
            values.number = i / partitions;
            producer.send(record.partition(partition).value(values, values), ticket);
        }
    }

    /** Encodes the values of {@link Pass#value(long)} without creating an array for each value. */
    private static final class Values implements RecordEncoder<Values> {
        private final byte[] zeros;
        private long number;

        private Values(int sizeBytes) {
            this.zeros = new byte[sizeBytes];
        }

        @Override
        public int sizeBytes(Values values) {
            return zeros.length;
        }

        @Override
        public void encode(Values values, ByteBuffer to) {
            to.putLong(number).put(zeros, 0, zeros.length - Long.BYTES);
        }
    }
}
