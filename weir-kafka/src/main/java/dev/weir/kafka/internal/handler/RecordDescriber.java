package dev.weir.kafka.internal.handler;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.kafka.Decoded;
import dev.weir.kafka.spi.OfRecord;
import dev.weir.stream.spi.ElementDescriber;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.HexFormat;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Describes records by their origins and keys. Keys are escaped and shortened. Stateless. */
public final class RecordDescriber implements ElementDescriber {

    private static final int MAX_CHARS = 40;

    /** Called by the service loader. */
    public RecordDescriber() {}

    @Override
    public @Nullable String describe(Object element) {
        return switch (element) {
            case ConsumerRecord<?, ?> record -> "key " + text(record.key());
            case Decoded<?, ?> decoded -> describe(decoded.raw());
            case OfRecord derived -> describe(derived.raw());
            case BatchJob<?, ?> batch -> describe(batch.first());
            default -> null;
        };
    }

    @Override
    public @Nullable String place(Object element) {
        return switch (element) {
            case ConsumerRecord<?, ?> record -> record.topic() + "-" + record.partition() + "@" + record.offset();
            case Decoded<?, ?> decoded -> place(decoded.raw());
            case OfRecord derived -> place(derived.raw());
            case List<?> list when !list.isEmpty() -> place(list);
            default -> null;
        };
    }

    private @Nullable String place(List<?> group) {
        String first = place(group.getFirst());
        int more = group.size() - 1;
        return first == null || more == 0 ? first : first + " and " + more + " more";
    }

    private static String text(@Nullable Object key) {
        if (key == null) {
            return "null";
        }
        if (key instanceof byte[] bytes) {
            return ofBytes(bytes);
        }
        return quoted(String.valueOf(key));
    }

    private static String ofBytes(byte[] bytes) {
        try {
            return quoted(UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
        } catch (CharacterCodingException binary) {
            int shown = Math.min(bytes.length, MAX_CHARS / 2);
            return "0x" + HexFormat.of().formatHex(bytes, 0, shown) + (shown < bytes.length ? "..." : "");
        }
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        int length = Math.min(text.length(), MAX_CHARS);
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if ("\"\\".indexOf(c) >= 0) {
                quoted.append("\\").append(c);
            } else if (c < ' ' || (c > '~' && !Character.isLetterOrDigit(c))) {
                quoted.append("\\u").append(HexFormat.of().toHexDigits(c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append(length < text.length() ? "\"..." : "\"").toString();
    }
}
