package dev.weir.examples.asimov;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.weir.examples.asimov.proto.Device;
import dev.weir.examples.asimov.proto.DeviceKind;
import dev.weir.examples.asimov.proto.PayloadEncoding;
import dev.weir.examples.asimov.proto.Screen;
import java.io.IOException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Parses one event in a single pass over its JSON tokens, without a tree. Skips unknown fields. Confined to the thread
 * that runs it.
 */
final class EventParser {
    static final long MIN_TIMESTAMP_MILLIS =
            Instant.parse("2000-01-01T00:00:00Z").toEpochMilli();
    static final long MAX_TIMESTAMP_MILLIS =
            Instant.parse("2100-01-01T00:00:00Z").toEpochMilli() - 1;

    private static final int MAX_SCREEN_PX = 1 << 16;

    private static final JsonFactory JSON = JsonFactory.builder()
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .build();

    private final JsonParser json;

    private @Nullable String session;
    private @Nullable String event;
    private @Nullable Long sequence;
    private @Nullable Long timestampMillis;
    private @Nullable String url;
    private @Nullable Device device;
    private @Nullable PayloadEncoding encoding;
    private @Nullable String payload;

    private EventParser(JsonParser json) {
        this.json = json;
    }

    static ParsedEvent parse(byte[] value) throws MalformedEventException {
        try (JsonParser json = JSON.createParser(value)) {
            return new EventParser(json).event();
        } catch (JsonProcessingException e) {
            throw new MalformedEventException(
                    Reason.INVALID_JSON,
                    e.getOriginalMessage()
                            // Jackson reports no location for an exceeded limit.
                            + (e.getLocation() == null
                                    ? ""
                                    : " at byte " + e.getLocation().getByteOffset()));
        } catch (IOException e) {
            // The bytes are not text in any of JSON's encodings.
            throw new MalformedEventException(Reason.INVALID_JSON, String.valueOf(e.getMessage()));
        }
    }

    private ParsedEvent event() throws IOException, MalformedEventException {
        if (json.nextToken() != JsonToken.START_OBJECT) {
            throw new MalformedEventException(Reason.INVALID_JSON, "the value is not a JSON object");
        }
        for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
            switch (name) {
                case "session" -> session = text(name, session);
                case "event" -> event = text(name, event);
                case "seq" -> sequence = number(name, sequence, 0, Long.MAX_VALUE, Reason.OUT_OF_RANGE);
                case "timestamp" ->
                    timestampMillis = number(
                            name,
                            timestampMillis,
                            MIN_TIMESTAMP_MILLIS,
                            MAX_TIMESTAMP_MILLIS,
                            Reason.TIMESTAMP_OUT_OF_RANGE);
                case "url" -> url = text(name, url);
                case "device" -> device(name);
                case "payload" -> payload(name);
                default -> skipValue();
            }
        }
        if (json.nextToken() != null) {
            throw new MalformedEventException(Reason.INVALID_JSON, "something follows the JSON object");
        }
        if (session == null || session.isEmpty()) {
            throw new MalformedEventException(Reason.MISSING_SESSION, "session is missing or empty");
        }
        return new ParsedEvent(
                session,
                required("event", event),
                required("seq", sequence),
                required("timestamp", timestampMillis),
                required("url", url),
                required("device", device),
                required("payload.encoding", encoding),
                required("payload.data", payload));
    }

    private void device(String field) throws IOException, MalformedEventException {
        object(field, device);
        String kind = null;
        String os = null;
        String browser = null;
        Screen screen = null;
        for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
            switch (name) {
                case "kind" -> kind = text("device.kind", kind);
                case "os" -> os = text("device.os", os);
                case "browser" -> browser = text("device.browser", browser);
                case "screen" -> screen = screen("device.screen", screen);
                default -> skipValue();
            }
        }
        Device.Builder builder = Device.newBuilder().setKind(kind(required("device.kind", kind)));
        if (os != null) {
            builder.setOs(Text.wellFormed(os));
        }
        if (browser != null) {
            builder.setBrowser(Text.wellFormed(browser));
        }
        if (screen != null) {
            builder.setScreen(screen);
        }
        device = builder.build();
    }

    private Screen screen(String field, @Nullable Screen before) throws IOException, MalformedEventException {
        object(field, before);
        Long width = null;
        Long height = null;
        for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
            switch (name) {
                case "width" -> width = number("device.screen.width", width, 0, MAX_SCREEN_PX, Reason.OUT_OF_RANGE);
                case "height" -> height = number("device.screen.height", height, 0, MAX_SCREEN_PX, Reason.OUT_OF_RANGE);
                default -> skipValue();
            }
        }
        return Screen.newBuilder()
                .setWidthPx(required("device.screen.width", width).intValue())
                .setHeightPx(required("device.screen.height", height).intValue())
                .build();
    }

    private void payload(String field) throws IOException, MalformedEventException {
        object(field, payload);
        for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
            switch (name) {
                case "encoding" -> encoding = encoding(text("payload.encoding", encoding));
                case "data" -> payload = text("payload.data", payload);
                default -> skipValue();
            }
        }
        // Checked here, so that a second payload object is a duplicate.
        required("payload.encoding", encoding);
        required("payload.data", payload);
    }

    /** Returns the kind of a device, or unspecified for an unknown name. */
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

    private static PayloadEncoding encoding(String name) throws MalformedEventException {
        return switch (name) {
            case "lz-base64" -> PayloadEncoding.PAYLOAD_ENCODING_LZ_BASE64;
            case "lz-utf16" -> PayloadEncoding.PAYLOAD_ENCODING_LZ_UTF16;
            default ->
                throw new MalformedEventException(
                        Reason.UNKNOWN_ENCODING,
                        "payload.encoding is " + Text.quoted(name) + ", neither lz-base64 nor lz-utf16");
        };
    }

    /** Enters the object in {@code field}. Fails if the field is not an object, or occurred before. */
    private void object(String field, @Nullable Object before) throws IOException, MalformedEventException {
        once(field, before);
        expect(field, JsonToken.START_OBJECT, "an object");
    }

    private String text(String field, @Nullable Object before) throws IOException, MalformedEventException {
        once(field, before);
        expect(field, JsonToken.VALUE_STRING, "a string");
        return json.getText();
    }

    private long number(String field, @Nullable Long before, long min, long max, Reason outside)
            throws IOException, MalformedEventException {
        once(field, before);
        expect(field, JsonToken.VALUE_NUMBER_INT, "a whole number");
        boolean fits = json.getNumberType() != JsonParser.NumberType.BIG_INTEGER;
        long number = fits ? json.getLongValue() : 0;
        if (!fits || number < min || number > max) {
            throw new MalformedEventException(outside, field + " must be from " + min + " to " + max);
        }
        return number;
    }

    private void skipValue() throws IOException {
        json.nextToken();
        json.skipChildren();
    }

    private void expect(String field, JsonToken token, String type) throws IOException, MalformedEventException {
        JsonToken found = json.nextToken();
        if (found != token) {
            throw new MalformedEventException(Reason.WRONG_TYPE, field + " must be " + type + ", is " + found);
        }
    }

    private static void once(String field, @Nullable Object before) throws MalformedEventException {
        if (before != null) {
            throw new MalformedEventException(Reason.DUPLICATE_FIELD, field + " is there twice");
        }
    }

    private static <T> T required(String field, @Nullable T value) throws MalformedEventException {
        if (value == null) {
            throw new MalformedEventException(Reason.MISSING_FIELD, field + " is missing");
        }
        return value;
    }
}
