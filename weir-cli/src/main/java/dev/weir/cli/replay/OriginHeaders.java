package dev.weir.cli.replay;

import dev.weir.kafka.deadletter.DeadLetterFormat;
import dev.weir.kafka.deadletter.DeadLetterFormat.Field;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converts {@code topic=HEADER,partition=HEADER,...}, a user-defined dead-letter format. Stateless. */
final class OriginHeaders implements ITypeConverter<DeadLetterFormat> {

    @Override
    public DeadLetterFormat convert(String argument) {
        Map<Field, String> names = new EnumMap<>(Field.class);
        for (String part : argument.split(",", -1)) {
            int equals = part.indexOf('=');
            Field field = equals < 0 ? null : field(part.substring(0, equals));
            if (field == null || names.put(field, part.substring(equals + 1)) != null) {
                throw new TypeConversionException("'" + part + "' in '" + argument
                        + "' is not FIELD=HEADER with a FIELD of topic, partition, offset, timestamp, reason, cause, message,"
                        + " attempts, group, time, each once");
            }
        }
        try {
            return DeadLetterFormat.headers(names);
        } catch (IllegalArgumentException refused) {
            throw new TypeConversionException("'" + argument + "': " + refused.getMessage());
        }
    }

    private static @Nullable Field field(String name) {
        for (Field field : Field.values()) {
            if (field.name().toLowerCase(Locale.ROOT).equals(name)) {
                return field;
            }
        }
        return null;
    }
}
