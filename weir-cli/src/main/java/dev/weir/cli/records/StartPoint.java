package dev.weir.cli.records;

import dev.weir.command.terminal.Instants;
import java.time.Instant;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The position in a topic at which {@code weir consume} starts. Immutable. */
sealed interface StartPoint {

    /** The oldest record of each partition. */
    record Beginning() implements StartPoint {}

    /** The end of each partition at the start of the command, for new records only. */
    record End() implements StartPoint {}

    /** A given offset of each partition. */
    record AtOffset(long offset) implements StartPoint {}

    /** The first record of each partition with this timestamp or a later one. */
    record AtTime(Instant time) implements StartPoint {}

    /** Converts the value of {@code --from}. Stateless. */
    final class Converter implements ITypeConverter<StartPoint> {

        @Override
        public StartPoint convert(String text) {
            if (text.equals("beginning")) {
                return new Beginning();
            }
            if (text.equals("end")) {
                return new End();
            }
            if (text.matches("\\d{1,18}")) {
                return new AtOffset(Long.parseLong(text));
            }
            if (text.matches("\\d{4}-.*")) {
                Instant time = new Instants().convert(text);
                // Such a time selects every record. Kafka's consumer refuses times before 1970.
                return time.isBefore(Instant.EPOCH) ? new Beginning() : new AtTime(time);
            }
            throw new TypeConversionException(
                    "'" + text + "' is not a place to begin: write beginning, end, an offset, or a time such as"
                            + " 2026-11-23T08:00:00Z");
        }
    }
}
