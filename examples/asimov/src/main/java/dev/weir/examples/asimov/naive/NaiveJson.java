package dev.weir.examples.asimov.naive;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeType;
import dev.weir.examples.asimov.Malformed;
import dev.weir.examples.asimov.ParsedEvent;
import dev.weir.examples.asimov.Parsing;
import dev.weir.examples.asimov.Reason;
import dev.weir.examples.asimov.Text;
import dev.weir.examples.asimov.proto.Device;
import dev.weir.examples.asimov.proto.DeviceKind;
import dev.weir.examples.asimov.proto.PayloadEncoding;
import dev.weir.examples.asimov.proto.Screen;
import java.io.IOException;
import java.time.Instant;

/** Reads the whole event into a tree of nodes, and the fields from the tree. Thread-safe. */
final class NaiveJson {
    private static final ObjectMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private static final long MIN_TIMESTAMP_MILLIS =
            Instant.parse("2000-01-01T00:00:00Z").toEpochMilli();
    private static final long MAX_TIMESTAMP_MILLIS =
            Instant.parse("2100-01-01T00:00:00Z").toEpochMilli() - 1;

    private static final int MAX_SCREEN_PX = 1 << 16;

    private NaiveJson() {}

    static Parsing parse(byte[] value) {
        try {
            JsonNode root = MAPPER.readTree(value);
            if (!root.isObject()) {
                return new Malformed(Reason.INVALID_JSON, "the value is not a JSON object");
            }
            return event(root);
        } catch (FieldException e) {
            return new Malformed(e.reason, e.message);
        } catch (JsonProcessingException e) {
            String where =
                    e.getLocation() == null ? "" : " at byte " + e.getLocation().getByteOffset();
            return new Malformed(Reason.INVALID_JSON, e.getOriginalMessage() + where);
        } catch (IOException e) {
            return new Malformed(Reason.INVALID_JSON, String.valueOf(e.getMessage()));
        }
    }

    private static ParsedEvent event(JsonNode root) throws FieldException {
        if (!root.path("session").isTextual()
                || root.path("session").textValue().isEmpty()) {
            throw new FieldException(Reason.MISSING_SESSION, "session is missing or empty");
        }
        JsonNode payload = field(root, "payload", JsonNodeType.OBJECT, "an object");
        return new ParsedEvent(
                root.get("session").textValue(),
                text(root, "event"),
                number(root, "seq", 0, Long.MAX_VALUE, Reason.OUT_OF_RANGE),
                number(root, "timestamp", MIN_TIMESTAMP_MILLIS, MAX_TIMESTAMP_MILLIS, Reason.TIMESTAMP_OUT_OF_RANGE),
                text(root, "url"),
                device(field(root, "device", JsonNodeType.OBJECT, "an object")),
                encoding(text(payload, "encoding")),
                text(payload, "data"));
    }

    private static Device device(JsonNode node) throws FieldException {
        Device.Builder builder = Device.newBuilder().setKind(kind(text(node, "kind")));
        if (node.has("os")) {
            builder.setOs(Text.wellFormed(text(node, "os")));
        }
        if (node.has("browser")) {
            builder.setBrowser(Text.wellFormed(text(node, "browser")));
        }
        if (node.has("screen")) {
            JsonNode screen = field(node, "screen", JsonNodeType.OBJECT, "an object");
            builder.setScreen(Screen.newBuilder()
                    .setWidthPx((int) number(screen, "width", 0, MAX_SCREEN_PX, Reason.OUT_OF_RANGE))
                    .setHeightPx((int) number(screen, "height", 0, MAX_SCREEN_PX, Reason.OUT_OF_RANGE)));
        }
        return builder.build();
    }

    private static DeviceKind kind(String name) {
        return switch (name) {
            case "desktop" -> DeviceKind.DEVICE_KIND_DESKTOP;
            case "mobile" -> DeviceKind.DEVICE_KIND_MOBILE;
            case "tablet" -> DeviceKind.DEVICE_KIND_TABLET;
            case "tv" -> DeviceKind.DEVICE_KIND_TV;
            case "bot" -> DeviceKind.DEVICE_KIND_BOT;
            default -> DeviceKind.DEVICE_KIND_UNSPECIFIED;
        };
    }

    private static PayloadEncoding encoding(String name) throws FieldException {
        return switch (name) {
            case "lz-base64" -> PayloadEncoding.PAYLOAD_ENCODING_LZ_BASE64;
            case "lz-utf16" -> PayloadEncoding.PAYLOAD_ENCODING_LZ_UTF16;
            default ->
                throw new FieldException(
                        Reason.UNKNOWN_ENCODING,
                        "payload.encoding is " + Text.quoted(name) + ", neither lz-base64 nor lz-utf16");
        };
    }

    private static String text(JsonNode object, String name) throws FieldException {
        return field(object, name, JsonNodeType.STRING, "a string").textValue();
    }

    private static long number(JsonNode object, String name, long min, long max, Reason outside) throws FieldException {
        JsonNode node = field(object, name, JsonNodeType.NUMBER, "a whole number");
        if (!node.isIntegralNumber()) {
            throw new FieldException(Reason.WRONG_TYPE, name + " must be a whole number");
        }
        if (!node.canConvertToLong() || node.longValue() < min || node.longValue() > max) {
            throw new FieldException(outside, name + " must be from " + min + " to " + max);
        }
        return node.longValue();
    }

    private static JsonNode field(JsonNode object, String name, JsonNodeType type, String words) throws FieldException {
        JsonNode node = object.get(name);
        if (node == null) {
            throw new FieldException(Reason.MISSING_FIELD, name + " is missing");
        }
        if (node.getNodeType() != type) {
            throw new FieldException(Reason.WRONG_TYPE, name + " must be " + words + ", is " + node.getNodeType());
        }
        return node;
    }

    /** A fault of a field. */
    private static final class FieldException extends Exception {
        private static final long serialVersionUID = 1L;

        private final Reason reason;
        private final String message;

        FieldException(Reason reason, String message) {
            super(message);
            this.reason = reason;
            this.message = message;
        }
    }
}
