package dev.weir.cli.replay;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.kafka.DeadLetter;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A condition on a dead letter. Immutable.
 *
 * @param name what is looked at
 * @param text what it must be or contain
 */
record ReplayFilter(String name, String text) {

    private static final List<String> EQUAL =
            List.of("topic", "partition", "offset", "reason", "attempts", "group", "key");
    private static final List<String> CONTAINED = List.of("cause", "message", "time");

    boolean matches(DeadLetter letter) {
        String found = name.equals("key") ? key(letter) : letter.header(DeadLetter.PREFIX + name);
        return found != null && (CONTAINED.contains(name) ? found.contains(text) : found.equals(text));
    }

    private static @Nullable String key(DeadLetter letter) {
        byte[] key = letter.letter().key();
        return key == null ? null : new String(key, UTF_8);
    }

    /** Reads {@code NAME=TEXT}. Stateless. */
    static final class Converter implements ITypeConverter<ReplayFilter> {

        @Override
        public ReplayFilter convert(String argument) {
            int equals = argument.indexOf('=');
            String name = argument.substring(0, Math.max(0, equals));
            if (!EQUAL.contains(name) && !CONTAINED.contains(name)) {
                throw new TypeConversionException("'" + argument + "' is no NAME=TEXT with a NAME of "
                        + String.join(", ", EQUAL) + ", " + String.join(", ", CONTAINED));
            }
            return new ReplayFilter(name, argument.substring(equals + 1));
        }
    }
}
