package dev.weir.cli.replay;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.kafka.deadletter.DeadLetterFormat.Field;
import dev.weir.kafka.deadletter.DeadLetterRecord;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * A report on one dead-letter record or partition. Immutable.
 *
 * @param deadLetter the record to send, or null if the text describes a problem
 * @param isTrouble whether the text names a record that cannot be sent
 */
record ReplayNote(@Nullable DeadLetterRecord deadLetter, boolean isTrouble, String text) {

    static ReplayNote wouldSend(DeadLetterRecord deadLetter, ProducerRecord<byte[], byte[]> restored) {
        String partition = restored.partition() == null ? "" : "-" + restored.partition();
        String reason = deadLetter.text(Field.REASON);
        String message = deadLetter.text(Field.MESSAGE);
        return new ReplayNote(
                deadLetter,
                false,
                deadLetter.origin() + " -> " + restored.topic() + partition + "  "
                        + (reason == null ? "" : reason + ": ") + (message == null ? "" : message));
    }

    static ReplayNote trouble(String text) {
        return new ReplayNote(null, true, text);
    }

    static ReplayNote warning(String text) {
        return new ReplayNote(null, false, text);
    }

    void write(JsonGenerator line) throws IOException {
        if (deadLetter == null) {
            return;
        }
        line.writeStringField("topic", deadLetter.topic());
        line.writeNumberField("partition", deadLetter.partition());
        line.writeNumberField("offset", deadLetter.offset());
        for (Field field : List.of(Field.REASON, Field.CAUSE, Field.MESSAGE, Field.ATTEMPTS)) {
            line.writeStringField(field.name().toLowerCase(Locale.ROOT), deadLetter.text(field));
        }
        line.writeStringField("time", deadLetter.time().toString());
        line.writeStringField("format", deadLetter.format().name());
    }
}
