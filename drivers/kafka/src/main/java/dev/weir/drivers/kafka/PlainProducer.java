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
 * The loop over {@code send} that the manual shows, with a callback for each record; as a driver of its own with properties
 * that ask for fewer acknowledgements. Confined to the main thread; callbacks come on the client's.
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
        int partitions = pass.configuration().partitions();
        int valueBytes = pass.configuration().valueBytes();
        Pacer pacer = pass.pacer();
        Callback acknowledged = (written, failure) -> {
            if (failure == null) {
                pass.acknowledged(valueBytes);
            } else {
                pass.fail(failure);
            }
        };
        try (Producer<byte[], byte[]> producer = new KafkaProducer<>(
                new HashMap<>(pass.producerConfig(preset)), new ByteArraySerializer(), new ByteArraySerializer())) {
            for (long i = 0; i < pass.wanted() && !pass.isDone(); i++) {
                int partition = (int) (i % partitions);
                long ticket = pacer.next(partition);
                var unused = producer.send(
                        new ProducerRecord<>(pass.configuration().topic(), partition, null, pass.value(i / partitions)),
                        ticket == 0 ? acknowledged : planned(pass, ticket));
            }
            producer.flush();
            pass.awaitDone();
        }
    }
}
