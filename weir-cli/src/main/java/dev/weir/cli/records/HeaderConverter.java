package dev.weir.cli.records;

import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code NAME=TEXT} as a header whose value is the text in UTF-8. Stateless. */
final class HeaderConverter implements ITypeConverter<Header> {

    @Override
    public Header convert(String text) {
        int at = text.indexOf('=');
        if (at < 1) {
            throw new TypeConversionException("'" + text + "' is not a header: write NAME=TEXT");
        }
        return new RecordHeader(text.substring(0, at), text.substring(at + 1).getBytes(StandardCharsets.UTF_8));
    }
}
