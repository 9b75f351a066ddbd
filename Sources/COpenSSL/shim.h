// OpenSSL's macros are not imported into Swift: each function below stands in for one.
#ifndef SORTIE_COPENSSL_SHIM_H
#define SORTIE_COPENSSL_SHIM_H

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

// Macro BIO_get_mem_data: the bytes in a memory BIO, still owned by it.
static inline long shim_BIO_get_mem_data(BIO *bio, char **data) {
    return BIO_get_mem_data(bio, data);
}

// Macro BIO_set_retry_read: nothing to read yet, and that is no error.
static inline void shim_BIO_set_retry_read(BIO *bio) { BIO_set_retry_read(bio); }

// Macro BIO_clear_retry_flags.
static inline void shim_BIO_clear_retry_flags(BIO *bio) { BIO_clear_retry_flags(bio); }

// Macro SSL_set_tlsext_host_name: the name the client asks for (SNI).
static inline long shim_SSL_set_tlsext_host_name(SSL *ssl, const char *name) {
    return SSL_set_tlsext_host_name(ssl, name);
}

// Macro SSL_CTX_set_min_proto_version.
static inline long shim_SSL_CTX_set_min_proto_version(SSL_CTX *context, int version) {
    return SSL_CTX_set_min_proto_version(context, version);
}

// Macro SSL_CTX_set_session_cache_mode.
static inline long shim_SSL_CTX_set_session_cache_mode(SSL_CTX *context, long mode) {
    return SSL_CTX_set_session_cache_mode(context, mode);
}

// Macro SSL_CTX_set_read_ahead.
static inline long shim_SSL_CTX_set_read_ahead(SSL_CTX *context, int isOn) {
    return SSL_CTX_set_read_ahead(context, isOn);
}

// Macro SSL_CTX_add_extra_chain_cert: the context owns the certificate afterwards.
static inline long shim_SSL_CTX_add_extra_chain_cert(SSL_CTX *context, X509 *certificate) {
    return SSL_CTX_add_extra_chain_cert(context, certificate);
}

// Macros of the typed stack of certificates, with the functions that safestack.h makes of them.
static inline int shim_sk_X509_num(const STACK_OF(X509) *stack) { return sk_X509_num(stack); }
static inline X509 *shim_sk_X509_value(const STACK_OF(X509) *stack, int index) {
    return sk_X509_value(stack, index);
}
static inline void shim_sk_X509_free_all(STACK_OF(X509) *stack) {
    sk_X509_pop_free(stack, X509_free);
}

// Macros SSL_OP_NO_TICKET, SSL_OP_NO_RENEGOTIATION: bits too wide for the importer.
static inline uint64_t shim_SSL_options(void) {
    return SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION;
}

// Macro EVP_EC_gen, which is variadic underneath: a new key on a named curve.
static inline EVP_PKEY *shim_EVP_EC_gen(const char *curve) { return EVP_EC_gen(curve); }

// Macro ERR_SYSTEM_ERROR: is the code an errno?
static inline int shim_ERR_SYSTEM_ERROR(unsigned long code) { return ERR_SYSTEM_ERROR(code); }

// Macro ERR_GET_REASON, an inline function in some versions only.
static inline int shim_ERR_GET_REASON(unsigned long code) { return ERR_GET_REASON(code); }

#endif
