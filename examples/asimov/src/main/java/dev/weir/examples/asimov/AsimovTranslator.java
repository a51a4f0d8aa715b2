package dev.weir.examples.asimov;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import dev.weir.examples.asimov.LzStringException.Fault;
import dev.weir.examples.asimov.proto.PageView;
import dev.weir.examples.asimov.proto.Parameter;
import dev.weir.examples.asimov.proto.PayloadEncoding;
import dev.weir.examples.asimov.proto.Url;
import org.jspecify.annotations.Nullable;

/**
 * Translates a web-analytics event from JSON to Protobuf, in one call or step by step. Thread-safe: its only state is
 * its limit.
 */
public final class AsimovTranslator implements AsimovSteps {
    /** The default limit for a decompressed payload, in characters. */
    public static final int DEFAULT_MAX_PAYLOAD_CHARS = 1 << 20;

    private final int maxPayloadChars;

    /** Creates a translator for payloads of up to {@link #DEFAULT_MAX_PAYLOAD_CHARS}. */
    public AsimovTranslator() {
        this(DEFAULT_MAX_PAYLOAD_CHARS);
    }

    /**
     * Creates a translator.
     *
     * @param maxPayloadChars largest number of characters of a decompressed payload, at least 1; an event with a larger
     *     payload is malformed, with {@link Reason#PAYLOAD_TOO_LARGE}
     */
    public AsimovTranslator(int maxPayloadChars) {
        if (maxPayloadChars < 1) {
            throw new IllegalArgumentException(
                    "maxPayloadChars must be at least 1: maxPayloadChars=" + maxPayloadChars);
        }
        this.maxPayloadChars = maxPayloadChars;
    }

    @Override
    public Parsing parseJson(byte @Nullable [] value) {
        if (value == null || value.length == 0) {
            return new Malformed(Reason.EMPTY_VALUE, "the record has no value");
        }
        try {
            return EventParser.parse(value);
        } catch (MalformedEventException e) {
            return e.malformed();
        } catch (RuntimeException e) {
            return fault(e);
        }
    }

    @Override
    public Locating parseUrl(Parsing parsing) {
        return switch (parsing) {
            case Malformed malformed -> malformed;
            case ParsedEvent event -> {
                try {
                    yield new LocatedEvent(event, PageUrl.parse(event.url()));
                } catch (InvalidUrlException e) {
                    yield new Malformed(Reason.INVALID_URL, e.getMessage());
                } catch (RuntimeException e) {
                    yield fault(e);
                }
            }
        };
    }

    @Override
    public Unpacking decompress(Locating locating) {
        return switch (locating) {
            case Malformed malformed -> malformed;
            case LocatedEvent located -> {
                try {
                    yield new UnpackedEvent(located.event(), located.url(), decompressed(located.event()));
                } catch (LzStringException e) {
                    Reason reason = e.fault() == Fault.TOO_LARGE ? Reason.PAYLOAD_TOO_LARGE : Reason.INVALID_PAYLOAD;
                    yield new Malformed(reason, "the payload " + e.getMessage());
                } catch (RuntimeException e) {
                    yield fault(e);
                }
            }
        };
    }

    @Override
    public Translation encode(Unpacking unpacking) {
        return switch (unpacking) {
            case Malformed malformed -> malformed;
            case UnpackedEvent event -> {
                try {
                    PageView message = message(event);
                    yield new Translated(message.getSessionId().getBytes(UTF_8), message.toByteArray());
                } catch (RuntimeException e) {
                    yield fault(e);
                }
            }
        };
    }

    /** Decompresses directly into bytes, because a string would be encoded again. */
    private ByteString decompressed(ParsedEvent event) throws LzStringException {
        return UnsafeByteOperations.unsafeWrap(
                event.encoding() == PayloadEncoding.PAYLOAD_ENCODING_LZ_UTF16
                        ? LzString.decompressFromUtf16ToUtf8(event.payload(), maxPayloadChars)
                        : LzString.decompressFromBase64ToUtf8(event.payload(), maxPayloadChars));
    }

    // Builds the message. JSON escapes can contain lone surrogates, which UTF-8 cannot encode, so strings pass through
    // {@code wellFormed}.
    private static PageView message(UnpackedEvent unpacked) {
        ParsedEvent event = unpacked.event();
        return PageView.newBuilder()
                .setSessionId(Text.wellFormed(event.session()))
                .setEventId(Text.wellFormed(event.event()))
                .setSequence(event.sequence())
                .setTimestampMs(event.timestampMillis())
                .setUrl(message(unpacked.url()))
                .setDevice(event.device())
                .setPayloadEncoding(event.encoding())
                .setPayloadBytes(unpacked.payload())
                .build();
    }

    private static Url message(PageUrl url) {
        Url.Builder builder =
                Url.newBuilder().setScheme(url.scheme()).setHost(url.host()).setPath(url.path());
        if (url.port() != PageUrl.DEFAULT_PORT) {
            builder.setPort(url.port());
        }
        if (url.fragment() != null) {
            builder.setFragment(url.fragment());
        }
        for (QueryParameter parameter : url.parameters()) {
            builder.addParameters(
                    Parameter.newBuilder().setName(parameter.name()).setValue(parameter.value()));
        }
        return builder.build();
    }

    /** Turns a bug into a dead-letter record, so that one record cannot end a pipeline. */
    private static Malformed fault(RuntimeException e) {
        return new Malformed(Reason.TRANSLATOR_FAULT, e.toString());
    }
}
