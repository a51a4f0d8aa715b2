package dev.weir.kafka.deadletter;

import java.util.NoSuchElementException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;

/** A sample of {@code docs/guide/failures-kafka.md}, compiled here. Stateless. */
final class DeadLetterSamples {

    private DeadLetterSamples() {}

    @SuppressWarnings("FutureReturnValueIgnored")
    static void restore(
            ConsumerRecord<byte[], byte[]> record, OriginalRecords originals, Producer<byte[], byte[]> producer) {
        DeadLetterRecord deadLetter = DeadLetterRecord.read(record);
        if (deadLetter.lacksRecord()) { // a broker's
            deadLetter = switch (originals.find(deadLetter)) { // OriginalRecords.open(settings, Duration.ofSeconds(10))
                case OriginalRecords.Found found -> found.deadLetter();
                case OriginalRecords.Gone gone -> throw new NoSuchElementException(gone.why());
            };
        }
        producer.send(deadLetter.restored());
    }
}
