package dev.weir.examples.asimov.naive;

import com.google.protobuf.ByteString;
import dev.weir.examples.asimov.AsimovSteps;
import dev.weir.examples.asimov.AsimovTranslator;
import dev.weir.examples.asimov.LocatedEvent;
import dev.weir.examples.asimov.Locating;
import dev.weir.examples.asimov.Malformed;
import dev.weir.examples.asimov.ParsedEvent;
import dev.weir.examples.asimov.Parsing;
import dev.weir.examples.asimov.Reason;
import dev.weir.examples.asimov.Text;
import dev.weir.examples.asimov.Translation;
import dev.weir.examples.asimov.UnpackedEvent;
import dev.weir.examples.asimov.Unpacking;
import dev.weir.examples.asimov.proto.PayloadEncoding;
import java.net.URISyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * Naive versions of the first three steps. The fourth step, encoding, is delegated to {@link AsimovTranslator}.
 * Thread-safe.
 *
 * <p>For all events of {@link dev.weir.examples.asimov.EventGenerator}, including malformed events, the output is
 * byte-for-byte identical to the output of {@link AsimovTranslator}. For other events it may differ.
 */
public final class NaiveSteps implements AsimovSteps {
    private final AsimovTranslator today = new AsimovTranslator();

    /** Creates the steps. */
    public NaiveSteps() {}

    @Override
    public Parsing parseJson(byte @Nullable [] value) {
        return value == null || value.length == 0
                ? new Malformed(Reason.EMPTY_VALUE, "the record has no value")
                : NaiveJson.parse(value);
    }

    @Override
    public Locating parseUrl(Parsing parsing) {
        return switch (parsing) {
            case Malformed malformed -> malformed;
            case ParsedEvent event -> {
                try {
                    yield new LocatedEvent(event, NaiveUrl.parse(event.url()));
                } catch (URISyntaxException e) {
                    yield invalidUrl(event, e.getReason());
                } catch (IllegalArgumentException e) {
                    yield invalidUrl(event, String.valueOf(e.getMessage()));
                }
            }
        };
    }

    private static Malformed invalidUrl(ParsedEvent event, String why) {
        return new Malformed(Reason.INVALID_URL, Text.quoted(event.url()) + " is not the URL of a page: " + why);
    }

    @Override
    public Unpacking decompress(Locating locating) {
        return switch (locating) {
            case Malformed malformed -> malformed;
            case LocatedEvent located -> {
                try {
                    yield new UnpackedEvent(located.event(), located.url(), utf8(decompressed(located.event())));
                } catch (NaiveLzString.TooLargeException e) {
                    yield new Malformed(Reason.PAYLOAD_TOO_LARGE, "the payload " + e.getMessage());
                } catch (IllegalArgumentException e) {
                    yield new Malformed(Reason.INVALID_PAYLOAD, "the payload " + e.getMessage());
                }
            }
        };
    }

    private static String decompressed(ParsedEvent event) {
        int maxChars = AsimovTranslator.DEFAULT_MAX_PAYLOAD_CHARS;
        return event.encoding() == PayloadEncoding.PAYLOAD_ENCODING_LZ_UTF16
                ? NaiveLzString.decompressFromUtf16(event.payload(), maxChars)
                : NaiveLzString.decompressFromBase64(event.payload(), maxChars);
    }

    private static ByteString utf8(String text) {
        return ByteString.copyFromUtf8(Text.wellFormed(text));
    }

    @Override
    public Translation encode(Unpacking unpacking) {
        return today.encode(unpacking);
    }
}
