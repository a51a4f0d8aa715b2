package dev.weir.cli.replay;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.kafka.letter.Letter;
import dev.weir.kafka.letter.LetterFormat.Field;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * A report on one dead-letter record. Immutable.
 *
 * @param letter the record to send, or null if the text gives the problem
 */
record ReplayNote(@Nullable Letter letter, String text) {

    static ReplayNote wouldSend(Letter letter, ProducerRecord<byte[], byte[]> restored) {
        String partition = restored.partition() == null ? "" : "-" + restored.partition();
        String reason = letter.text(Field.REASON);
        String message = letter.text(Field.MESSAGE);
        return new ReplayNote(
                letter,
                letter.origin() + " -> " + restored.topic() + partition + "  " + (reason == null ? "" : reason + ": ")
                        + (message == null ? "" : message));
    }

    static ReplayNote trouble(String text) {
        return new ReplayNote(null, text);
    }

    boolean isTrouble() {
        return letter == null;
    }

    void write(JsonGenerator line) throws IOException {
        if (letter == null) {
            return;
        }
        line.writeStringField("topic", letter.topic());
        line.writeNumberField("partition", letter.partition());
        line.writeNumberField("offset", letter.offset());
        for (Field field : List.of(Field.REASON, Field.CAUSE, Field.MESSAGE, Field.ATTEMPTS)) {
            line.writeStringField(field.name().toLowerCase(Locale.ROOT), letter.text(field));
        }
        line.writeStringField("time", letter.time().toString());
        line.writeStringField("format", letter.format().name());
    }
}
