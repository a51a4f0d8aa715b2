package dev.weir.cli.pipeline;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.kafka.ConsumerSnapshot.RecordRange;
import java.io.IOException;
import java.util.List;

/** Writes ranges of records as JSON. */
public final class RangeFields {

    private RangeFields() {}

    /** Writes the field {@code name}, an array of objects. */
    public static void write(JsonGenerator json, String name, List<RecordRange> ranges) throws IOException {
        json.writeArrayFieldStart(name);
        for (RecordRange range : ranges) {
            json.writeStartObject();
            json.writeStringField("topic", range.topic());
            json.writeNumberField("partition", range.partition());
            json.writeNumberField("from", range.from());
            json.writeNumberField("to", range.to());
            json.writeNumberField("count", range.count());
            json.writeStringField("reason", range.reason());
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
