package shop;

import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.ProducerSettings;
import dev.weir.stream.Source;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/** Sends as many orders as it is told to, those of ten customers in turn. */
final class SendOrders {

    private SendOrders() {}

    public static void main(String[] args) throws InterruptedException {
        var orders = ProducerSettings.builder(new StringSerializer(), new StringSerializer())
                .bootstrapServers(args[0])
                .build();
        Source.range(0, Integer.parseInt(args[1]))
                .map(n -> new ProducerRecord<>("orders", "customer-" + n % 10, "order " + n))
                .runTo(KafkaSink.producing(orders));
    }
}
