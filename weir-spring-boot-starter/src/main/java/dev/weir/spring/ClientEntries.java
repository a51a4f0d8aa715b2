package dev.weir.spring;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigValue;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/**
 * The settings of one client, each with the name of its property. A later setting overrides an earlier one with the
 * same name. Confined to one thread.
 */
final class ClientEntries {

    private final Map<String, String> values = new HashMap<>();
    private final Map<String, String> origins = new HashMap<>();

    void put(String name, @Nullable Object value, String origin) {
        if (value != null) {
            values.put(name, text(value));
            origins.put(name, origin);
        }
    }

    /** Converts a value to text, as in configuration files. */
    private static String text(Object value) {
        return switch (value) {
            case Class<?> type -> type.getName();
            case Collection<?> list -> list.stream().map(Objects::toString).collect(Collectors.joining(","));
            case DataSize size -> Long.toString(size.toBytes());
            default -> value.toString();
        };
    }

    Map<String, String> values() {
        return values;
    }

    String origin(String name) {
        return origins.getOrDefault(name, name);
    }

    /**
     * Refuses values of the wrong type for the client.
     *
     * @throws IllegalArgumentException with the name of the property
     */
    void check(ConfigDef known) {
        for (ConfigValue read : known.validate(values)) {
            if (values.containsKey(read.name()) && !read.errorMessages().isEmpty()) {
                throw new IllegalArgumentException(
                        origin(read.name()) + ": " + read.errorMessages().getFirst());
            }
        }
    }
}
