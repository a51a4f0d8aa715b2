package dev.weir.examples.asimov;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads the output of scripts/make-vectors.mjs: arrays of flat objects with strings, numbers, nulls and lists of
 * strings.
 */
final class Vectors {
    private Vectors() {}

    record Vector(Map<String, @Nullable Object> fields) {
        boolean has(String name) {
            return fields.containsKey(name);
        }

        String text(String name) {
            return (String) Objects.requireNonNull(fields.get(name), name);
        }

        int number(String name) {
            return (Integer) Objects.requireNonNull(fields.get(name), name);
        }

        @Nullable
        Object any(String name) {
            return fields.get(name);
        }
    }

    static List<Vector> read(String file) {
        List<Vector> vectors = new ArrayList<>();
        try (InputStream in = Vectors.class.getResourceAsStream("/vectors/" + file);
                JsonParser json = new JsonFactory().createParser(Objects.requireNonNull(in, file))) {
            json.nextToken();
            while (json.nextToken() == JsonToken.START_OBJECT) {
                Map<String, @Nullable Object> fields = new HashMap<>();
                for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
                    fields.put(name, value(json));
                }
                vectors.add(new Vector(fields));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return vectors;
    }

    private static @Nullable Object value(JsonParser json) throws IOException {
        return switch (json.nextToken()) {
            case VALUE_STRING -> json.getText();
            case VALUE_NUMBER_INT -> json.getIntValue();
            case VALUE_NULL -> null;
            case START_ARRAY -> {
                List<String> list = new ArrayList<>();
                while (json.nextToken() != JsonToken.END_ARRAY) {
                    list.add(json.getText());
                }
                yield list;
            }
            default -> throw new IllegalStateException("unexpected " + json.currentToken());
        };
    }
}
