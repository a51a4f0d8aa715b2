package dev.weir.cli.replay;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.kafka.deadletter.DeadLetterFormat.Field;
import dev.weir.kafka.deadletter.DeadLetterRecord;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A condition on a dead-letter record. Immutable.
 *
 * @param name the checked property
 * @param text the required text
 */
record ReplayFilter(String name, String text) {

    private static final String HEADER = "header.";
    private static final List<String> EQUAL =
            List.of("topic", "partition", "offset", "reason", "attempts", "group", "key");
    private static final List<String> CONTAINED = List.of("cause", "message", "time");

    /** Returns whether the condition is on the key or a header. */
    boolean isOfRecord() {
        return name.equals("key") || name.startsWith(HEADER);
    }

    boolean matches(DeadLetterRecord deadLetter) {
        String found = found(deadLetter);
        return found != null && (CONTAINED.contains(name) ? found.contains(text) : found.equals(text));
    }

    private @Nullable String found(DeadLetterRecord deadLetter) {
        if (name.startsWith(HEADER)) {
            return deadLetter.header(name.substring(HEADER.length()));
        }
        return switch (name) {
            case "key" -> {
                byte[] key = deadLetter.key();
                yield key == null ? null : new String(key, UTF_8);
            }
            case "time" -> deadLetter.time().toString();
            default -> deadLetter.text(Field.valueOf(name.toUpperCase(Locale.ROOT)));
        };
    }

    /** Converts {@code NAME=TEXT}. Stateless. */
    static final class Converter implements ITypeConverter<ReplayFilter> {

        @Override
        public ReplayFilter convert(String argument) {
            int equals = argument.indexOf('=');
            String name = argument.substring(0, Math.max(0, equals));
            boolean isHeader = name.startsWith(HEADER) && name.length() > HEADER.length();
            if (!isHeader && !EQUAL.contains(name) && !CONTAINED.contains(name)) {
                throw new TypeConversionException("'" + argument + "' is not NAME=TEXT with a NAME of "
                        + String.join(", ", EQUAL) + ", " + String.join(", ", CONTAINED) + ", header.NAME");
            }
            return new ReplayFilter(name, argument.substring(equals + 1));
        }
    }
}
