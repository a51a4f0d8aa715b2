package dev.weir.driver;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Base64;
import java.util.BitSet;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/**
 * Writes which records of a partition came: a bit for each number, deflated, in Base64. Stateless. What came whole or in
 * long runs takes a few bytes.
 */
public final class RecordNumbers {

    private RecordNumbers() {}

    static String encoded(BitSet numbers) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DeflaterOutputStream deflated = new DeflaterOutputStream(bytes)) {
            deflated.write(numbers.toByteArray());
        } catch (IOException e) {
            throw new IllegalStateException("bytes were not written to memory", e);
        }
        return Base64.getEncoder().encodeToString(bytes.toByteArray());
    }

    /**
     * The numbers of a text, which belong to the caller.
     *
     * @throws IllegalArgumentException if it is none of {@link #encoded}
     */
    public static BitSet decoded(String text) {
        try (InputStream inflated = new InflaterInputStream(
                new ByteArrayInputStream(Base64.getDecoder().decode(text)))) {
            return BitSet.valueOf(inflated.readAllBytes());
        } catch (IOException e) {
            throw new IllegalArgumentException("it said what are no numbers of records: " + e.getMessage(), e);
        }
    }
}
