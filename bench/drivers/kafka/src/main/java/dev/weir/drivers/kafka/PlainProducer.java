package dev.weir.drivers.kafka;

import dev.weir.driver.Driver;
import dev.weir.driver.Pacer;
import dev.weir.driver.Pass;
import dev.weir.driver.Scenario;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The loop over {@code send} that the manual shows, with a callback for each record. Confined to the main thread;
 * callbacks run on the client's thread.
 */
final class PlainProducer implements Driver {
    private final Map<String, String> preset;

    PlainProducer(Map<String, String> preset) {
        this.preset = preset;
    }

    @Override
    public Set<Scenario> scenarios() {
        return Set.of(Scenario.PRODUCE);
    }

    @Override
    public void run(Pass pass) throws InterruptedException {
        produce(pass, preset);
    }

    private static Callback planned(Pass pass, long ticket) {
        int valueBytes = pass.configuration().valueBytes();
        return (written, failure) -> {
            if (failure == null) {
                pass.acknowledged(ticket, valueBytes);
            } else {
                pass.fail(failure);
            }
        };
    }

    static void produce(Pass pass, Map<String, String> preset) throws InterruptedException {
        Map<String, Object> config = new HashMap<>(pass.clientConfig().producer(preset));
        boolean transactional = pass.options().transactionRecords() > 0;
        if (transactional) {
            config.put("transactional.id", pass.group());
        }
        try (Producer<byte[], byte[]> producer =
                new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
            if (transactional) {
                sendInTransactions(producer, pass);
            } else {
                send(producer, pass);
            }
            pass.awaitDone();
        }
    }

    private static void send(Producer<byte[], byte[]> producer, Pass pass) {
        int valueBytes = pass.configuration().valueBytes();
        int partitions = pass.configuration().partitions();
        Pacer pacer = pass.pacer();
        Callback acknowledged = (written, failure) -> {
            if (failure == null) {
                pass.acknowledged(valueBytes);
            } else {
                pass.fail(failure);
            }
        };
        for (long i = 0; i < pass.wanted() && !pass.isDone(); i++) {
            long ticket = pacer.next((int) (i % partitions));
            var unused = producer.send(record(pass, i), ticket == 0 ? acknowledged : planned(pass, ticket));
        }
        producer.flush();
    }

    /** Sends records in transactions. Counts records when their transaction is committed. */
    private static void sendInTransactions(Producer<byte[], byte[]> producer, Pass pass) {
        producer.initTransactions();
        for (long from = 0;
                from < pass.wanted() && !pass.isDone();
                from += pass.options().transactionRecords()) {
            int size = (int) Math.min(pass.options().transactionRecords(), pass.wanted() - from);
            producer.beginTransaction();
            for (long i = from; i < from + size; i++) {
                var unused = producer.send(record(pass, i));
            }
            producer.commitTransaction();
            pass.committed(size);
        }
    }

    private static ProducerRecord<byte[], byte[]> record(Pass pass, long i) {
        int partitions = pass.configuration().partitions();
        return new ProducerRecord<>(
                pass.configuration().topic(), (int) (i % partitions), null, pass.value(i / partitions));
    }
}
