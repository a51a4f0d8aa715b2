package dev.weir.kafka.letter;

import java.util.NoSuchElementException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;

/** A sample of {@code docs/guide/failures-kafka.md}, compiled here. Stateless. */
final class LetterSamples {

    private LetterSamples() {}

    @SuppressWarnings("FutureReturnValueIgnored")
    static void restore(ConsumerRecord<byte[], byte[]> record, Originals originals, Producer<byte[], byte[]> producer) {
        Letter letter = Letter.read(record);
        if (letter.lacksRecord()) { // a broker's
            letter = switch (originals.find(letter)) { // Originals.open(settings, Duration.ofSeconds(10))
                case Originals.Found found -> found.letter();
                case Originals.Gone gone -> throw new NoSuchElementException(gone.why());
            };
        }
        producer.send(letter.restored());
    }
}
