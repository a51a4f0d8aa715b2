package shop;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.Subscription;
import dev.weir.stream.Sink;

/** Counts the invoices that are there. */
final class CountInvoices {

    private CountInvoices() {}

    public static void main(String[] args) throws InterruptedException {
        var settings = ConsumerSettings.builder().bootstrapServers(args[0]).build(); // no group: nothing is committed
        var untilEnd = Subscription.topics("invoices").untilEnd();
        System.out.println(KafkaSource.plain(settings, untilEnd).runTo(Sink.count()) + " invoices");
    }
}
